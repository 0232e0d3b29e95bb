/** Whole cents as dollars, without thousands separator: 123450 → `$1234.50`, -5 → `-$0.05`. */
export function dollars(cents: number): string {
  const absolute = Math.abs(cents);
  const whole = Math.floor(absolute / 100);
  return `${cents < 0 ? '-' : ''}$${whole}.${String(absolute % 100).padStart(2, '0')}`;
}

/** An amount as a field of a form has it: 2550 → `25.50`. */
export const typedDollars = (cents: number): string => dollars(cents).replace('$', '');

/**
 * An amount that a person typed, in cents: `25`, `25.5`, `25.50`, `$25.50`. Its digits are read as a whole number, so nothing is rounded.
 * @returns null for anything else
 */
export function centsTyped(text: string): number | null {
  const [, minus, whole = '', places = ''] = /^(-?)\$?(\d{1,13})(?:\.(\d{1,2}))?$/.exec(text.trim()) ?? [];
  if (whole === '') return null;
  const cents = Number(`${whole}${places.padEnd(2, '0')}`);
  return minus === '-' ? -cents : cents;
}

/** The refusal of what is no such amount. */
export const NO_AMOUNT = 'is written in dollars, as 25 or 25.50';
