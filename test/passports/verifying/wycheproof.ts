import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

/**
 * Project Wycheproof (C2SP): its vectors are published as a Go module and nowhere else that a package manager reaches.
 */
const MODULE = 'github.com/c2sp/wycheproof@v0.0.0-20260902155932-3fa63dd0344a';

const Vectors = z.object({
  numberOfTests: z.number(),
  testGroups: z.array(
    z.looseObject({
      comment: z.string().optional(),
      public: z.unknown().optional(),
      private: z.unknown().optional(),
      publicKeyJwk: z.looseObject({ x: z.string() }).optional(),
      tests: z.array(
        z.looseObject({
          tcId: z.number(),
          comment: z.string(),
          result: z.enum(['valid', 'invalid', 'acceptable']),
          msg: z.string().optional(),
          sig: z.string().optional(),
          jws: z.unknown().optional(),
        }),
      ),
    }),
  ),
});
type Vectors = z.infer<typeof Vectors>;
export type Group = Vectors['testGroups'][number];

/**
 * The folder of the vectors, or why there is none: Go brings them into its own cache, from the network the first time.
 */
export async function wycheproof(): Promise<{ folder: string } | { missing: string }> {
  try {
    const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', MODULE], { timeout: 60_000 });
    const folder = join(z.object({ Dir: z.string() }).parse(JSON.parse(stdout)).Dir, 'testvectors_v1');
    return existsSync(folder) ? { folder } : { missing: `there are none in ${MODULE}` };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return { missing: code === 'ENOENT' ? 'Go is not installed' : 'Go could not download them' };
  }
}

export const vectorsOf = (folder: string, file: string): Vectors =>
  Vectors.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
