//! Half-open intervals of any ordered measure: seconds since the epoch, minutes of a day.

/// The same time in order, without overlap and without touching. An empty interval stays one.
#[must_use]
pub fn merged<T: Ord + Copy>(mut all: Vec<(T, T)>) -> Vec<(T, T)> {
    all.sort_unstable();
    let mut out: Vec<(T, T)> = Vec::with_capacity(all.len());
    for (from, to) in all {
        match out.last_mut() {
            Some((_, end)) if from <= *end => *end = to.max(*end),
            Some(_) | None => out.push((from, to)),
        }
    }
    out
}

/// What of `all` is in none of `taken`; both as [`merged`] gives them.
pub fn without<T: Ord + Copy>(all: &[(T, T)], taken: &[(T, T)]) -> Vec<(T, T)> {
    let mut left = Vec::new();
    for (from, to) in all {
        let mut at = *from;
        for (start, end) in taken.iter().filter(|(start, end)| end > from && start < to) {
            if at < *start {
                left.push((at, *start));
            }
            at = at.max(*end);
        }
        if at < *to {
            left.push((at, *to));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_what_none_takes() {
        let open = merged(vec![(480, 720), (840, 1080), (700, 720)]);
        assert_eq!(open, [(480, 720), (840, 1080)]);
        assert_eq!(without(&open, &[]), open);
        assert_eq!(without(&open, &[(0, 1440)]), []);
        assert_eq!(without(&open, &[(510, 600), (720, 900)]), [(480, 510), (600, 720), (900, 1080)]);
        // A lunch hour that two people take apart from each other is nobody's.
        assert_eq!(merged(vec![(480, 720), (600, 1080)]), [(480, 1080)]);
    }
}
