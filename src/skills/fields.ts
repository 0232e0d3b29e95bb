import { z } from 'zod';
import { text } from '../fields/fields.ts';

/** Names of things elsewhere (providers, models, scopes) have 1 to 128 characters (decisions §2, trap 24). */
export const nameText = text(1, 128);

/** Exact, 1 to 32 characters, ten at most; a repeated one counts once in what is stored (decisions K52). */
export const tags = z
  .array(text(1, 32))
  .max(10, 'must have at most 10 items')
  .transform((all) => [...new Set(all)]);

const SEMVER = new RegExp(
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)' +
    '(?:-(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?' +
    '(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$',
);

/** SemVer 2.0.0 without a leading v, in the words of semver.org; the semver package takes `v1.0.0` and drops build metadata. */
export const semver = z
  .string()
  .max(128)
  .regex(SEMVER, 'must be a SemVer 2.0.0 version such as 1.2.3, without a leading v');
