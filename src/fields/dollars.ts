/** Whole cents as dollars, without thousands separator: 123450 → `$1234.50`, -5 → `-$0.05`. */
export function dollars(cents: number): string {
  const absolute = Math.abs(cents);
  const whole = Math.floor(absolute / 100);
  return `${cents < 0 ? '-' : ''}$${whole}.${String(absolute % 100).padStart(2, '0')}`;
}
