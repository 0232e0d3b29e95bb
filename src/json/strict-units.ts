export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const OBJECT_OPEN = 0x7b;
export const OBJECT_CLOSE = 0x7d;
export const ARRAY_OPEN = 0x5b;
export const ARRAY_CLOSE = 0x5d;
export const MINUS = 0x2d;
export const ZERO = 0x30;

export const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

export function hexDigit(unit: number): number | undefined {
  if (isDigit(unit)) return unit - ZERO;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : undefined;
}
