// Helpers compute, and can do nothing else: no files, no network, no clock but the call's.
function orderTotal({ lines, discount_percent = 0 }) {
  const sum = lines.reduce((total, line) => total + line.price_cents * line.quantity, 0)
  const discount = Math.round((sum * discount_percent) / 100)
  return { total_cents: sum - discount, discount_cents: discount }
}
