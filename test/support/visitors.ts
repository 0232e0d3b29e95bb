import { chromium } from './chromium.ts';
import { ChromiumVisitor } from './chromium-visitor.ts';
import { PlainVisitor } from './plain-visitor.ts';
import type { Visitor, Way } from './visitor.ts';

/** Somebody in Chromium; over HTTP where there is none, so that the same pages are opened and the same decisions are made. */
export async function visitorBy(way: Way): Promise<Visitor> {
  const browser = await chromium();
  return browser === null ? new PlainVisitor(way) : await ChromiumVisitor.arrive(browser, way);
}
