import { CONCEPTS, type Terms } from './concepts.ts';
import { en } from './en.ts';
import { others } from './others.ts';
import { Trie } from './trie.ts';

const languages: readonly Terms[] = [en, ...Object.values(others)];

/** The terms of all languages together: nobody declares in which one a message attacks, and some use several. */
export const makeLexicon = (): Trie =>
  new Trie(CONCEPTS.map((concept) => languages.flatMap((terms) => terms[concept]?.split('|') ?? [])));
