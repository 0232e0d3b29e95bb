import { html, type Html } from '../http/pages/html.ts';

const nothing = html``;

/** A code stands alone on its line. */
const CODE = /^\d{6}$/;

/** A line that is an address of this service and nothing else is a link: what agents and people wrote stands inside of lines. */
function lineOf(line: string, baseUrl: string): Html {
  if (line.startsWith(`${baseUrl}/`) && !/\s/.test(line)) return html`<a href="${line}">${line}</a>`;
  if (CODE.test(line)) return html`<strong style="font-size: 1.6em; letter-spacing: 0.1em">${line}</strong>`;
  return html`${line}`;
}

/**
 * The text of a mail as HTML, made of it alone, so that the two say the same. It loads nothing, and sets no colours, so that a dark mailbox
 * shows it dark.
 * @param text paragraphs with an empty line between them
 */
export const mailHtml = ({ subject, text, baseUrl }: { subject: string; text: string; baseUrl: string }): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
</head>
<body style="font-family: system-ui, sans-serif; font-size: 16px; line-height: 1.5; max-width: 36em; margin: 1em auto; padding: 0 1em; overflow-wrap: anywhere">
${text
  .trim()
  .split(/\n{2,}/)
  .map(
    (paragraph) =>
      html`<p>${paragraph.split('\n').map((line, at) => html`${at === 0 ? nothing : html`<br>\n`}${lineOf(line.trim(), baseUrl)}`)}</p>\n`,
  )}</body>
</html>
`.text;
