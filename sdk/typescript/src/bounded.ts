/** The bytes of an answer, as long as they are no more than this: whoever answers decides how many come. */
export async function bytesOf(response: Response, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels what has not come yet.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > most) throw new Error(`The answer has more than ${most} bytes.`);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

export const textOf = async (response: Response, most: number): Promise<string> =>
  new TextDecoder().decode(await bytesOf(response, most));
