export { classifyExcerpt, type Classification, type ClassifierContext, type Excerpt } from './classify.ts';
