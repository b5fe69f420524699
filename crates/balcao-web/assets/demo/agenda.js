// A day of the business: one column for each professional, visits in place, the customer's own ones marked.

const LEAST = 60; // pixels of an hour
const el = (name, className, ...children) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
};
const minute = (text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
const clock = (min) => `${String(Math.floor(min / 60) % 24).padStart(2, "0")}:${String(min % 60).padStart(2, "0")}`;
const period = (text) => text.split("-").map(minute);

let shown = new Set();
let shownDay = null;
let aim = null;

/** Scrolls `place` to what is worth seeing: also once it is on the screen, if it was not before. */
export function aimAt(place) {
  if (aim === null || !place.clientHeight) return;
  place.scrollTop = aim;
  place.querySelector(".visit.aimed")?.scrollIntoView({ block: "nearest", inline: "center" });
  aim = null;
}

/** Shows a day in `place`; visits of `contact` are the customer's own. */
export function showDay(place, day, contact, closed) {
  const periods = day.open.map(period);
  const visits = day.professionals.flatMap((one) => one.visits);
  if (!periods.length && !visits.length) {
    place.replaceChildren(el("p", "empty", day.note ? `${closed}: ${day.note}` : closed));
    shownDay = day.date;
    return;
  }
  const from = Math.floor(Math.min(...periods.map((one) => one[0]), ...visits.map((one) => one.from_min)) / 60) * 60;
  const to = Math.ceil(Math.max(...periods.map((one) => one[1]), ...visits.map((one) => one.to_min)) / 60) * 60;
  // As high as the place is, if that is enough.
  const HOUR = Math.max(LEAST, Math.floor((place.clientHeight - 64) / ((to - from) / 60)));
  const top = (min) => `${((min - from) / 60) * HOUR + 10}px`;
  const height = (span) => `${(span / 60) * HOUR}px`;
  const sized = (made, start, end) => {
    made.style.top = top(start);
    made.style.height = height(end - start);
    return made;
  };

  const working = day.professionals.filter((one) => one.works.length || one.visits.length);
  const grid = el("div", "grid");
  grid.style.gridTemplateColumns = `52px repeat(${working.length}, minmax(92px, 1fr))`;
  grid.style.width = `max(100%, ${52 + 92 * working.length}px)`;
  grid.append(el("div", "name corner"), ...working.map((one) => el("div", "name", one.name)));
  const hours = el("div", "hours");
  hours.style.height = `${((to - from) / 60) * HOUR + 20}px`;
  for (let at = from; at <= to; at += 60) {
    const label = el("span", "", clock(at));
    label.style.top = top(at);
    hours.append(label);
  }
  grid.append(hours);
  for (const one of working) {
    const column = el("div", "column");
    for (const [start, end] of one.works.map(period)) column.append(sized(el("div", "works"), start, end));
    for (let at = from; at <= to; at += 60) {
      const line = el("div", "hour");
      line.style.top = top(at);
      column.append(line);
    }
    for (const visit of one.visits) {
      const own = contact !== null && visit.contact === contact;
      const fresh = own && !shown.has(visit.id);
      const made = sized(el("div", `visit${own ? " own" : ""}${fresh ? " fresh aimed" : ""}`,
        el("p", "", el("b", "", clock(visit.from_min)), ` ${visit.service}`)), visit.from_min, visit.to_min);
      if (visit.who) made.append(el("p", "", visit.who));
      made.title = [`${clock(visit.from_min)}–${clock(visit.to_min)}`, visit.service, visit.who].filter(Boolean).join(" · ");
      column.append(made);
    }
    if (day.date === day.today && day.now_min >= from && day.now_min <= to) {
      const now = el("div", "now");
      now.style.top = top(day.now_min);
      column.append(now);
    }
    grid.append(column);
  }
  const { scrollTop, scrollLeft } = place;
  const arrived = visits.find((one) => contact !== null && one.contact === contact && !shown.has(one.id));
  place.replaceChildren(grid);
  place.scrollTop = scrollTop;
  place.scrollLeft = scrollLeft;
  if (arrived || shownDay !== day.date) {
    const target = arrived ? arrived.from_min : day.date === day.today ? day.now_min : (periods[0]?.[0] ?? from);
    aim = Math.max(0, ((target - from) / 60) * HOUR - 60);
  }
  aimAt(place);
  shown = new Set([...shown, ...visits.map((one) => one.id)]);
  shownDay = day.date;
}
