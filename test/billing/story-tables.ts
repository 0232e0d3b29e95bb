import { readFile } from 'node:fs/promises';

/** The rows of the tables below a heading of docs/billing.md, table after table, without their heads; cells are trimmed. */
export async function tablesBelow(heading: string): Promise<string[][][]> {
  const page = await readFile(new URL('../../docs/billing.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split(`### ${heading}\n`);
  const blocks = (section.split('\n#')[0] ?? '').split('\n\n').map((block) => block.trim());
  return blocks
    .filter((block) => block.startsWith('|'))
    .map((block) =>
      block
        .split('\n')
        .slice(2)
        .map((line) =>
          line
            .split('|')
            .slice(1, -1)
            .map((cell) => cell.trim()),
        ),
    );
}

/** Cents as the page writes them: `+1,000`, `−300`, `2,000`. */
export const centsIn = (text: string): number => Number(text.replace('−', '-').replaceAll(',', ''));
