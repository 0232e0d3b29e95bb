import { z } from 'zod';
import { text } from '../fields/text.ts';

/** A query separates tags by commas and takes the blanks around them away: a tag with either would never be found. */
const tag = text(1, 32).regex(/^(?![\s])[^,]*[^\s,]$/u, 'must have no comma, and no blank at its beginning or end');

/** Ten at most, of 1 to 32 characters, compared exactly; a repeated tag is stored once. */
export const tags = z
  .array(tag)
  .max(10, 'must have at most 10 items')
  .transform((all) => [...new Set(all)]);

const SEMVER = new RegExp(
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)' +
    '(?:-(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?' +
    '(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$',
);

/** The expression of semver.org for SemVer 2.0.0; the package `semver` would accept `v1.0.0` and drop build metadata. */
export const semver = z
  .string()
  .max(128)
  .regex(SEMVER, 'must be a SemVer 2.0.0 version such as 1.2.3, without a leading v');
