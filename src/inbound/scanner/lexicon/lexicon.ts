import { ar } from './ar.ts';
import { CONCEPTS, type Terms } from './concepts.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { hi } from './hi.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { ru } from './ru.ts';
import { tr } from './tr.ts';
import { zh } from './zh.ts';
import { Trie } from './trie.ts';

/** English has terms of every concept, the others of those that an attack needs; stems where words are inflected. */
const languages: readonly Terms[] = [en, de, fr, es, it, pt, nl, pl, tr, ru, zh, ja, ko, ar, hi];

/** The terms of all languages together: nobody declares in which one a message attacks, and some use several. */
export const makeLexicon = (): Trie =>
  new Trie(CONCEPTS.map((concept) => languages.flatMap((terms) => terms[concept]?.split('|') ?? [])));
