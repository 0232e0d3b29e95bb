/** The code unit that stands so many code points behind another. */
export function unitAt(text: string, from: number, points: number): number {
  let at = from;
  for (let point = 0; point < points && at < text.length; point += 1)
    at += (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 1;
  return at;
}
