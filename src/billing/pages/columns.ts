import { dollars } from '../../fields/dollars.ts';
import { moment } from '../../http/pages/moment.ts';
import { badge, type Column } from '../../console/parts.ts';
import { idLink } from '../../console/places.ts';

/** The columns that lists of money share. @returns how each is made for rows of this kind */
export const columnsOf = <Row>() => ({
  cents: (title: string, of: (row: Row) => number | null): Column<Row> => ({
    title,
    amount: true,
    cell: (row) => {
      const amount = of(row);
      return amount === null ? '–' : dollars(amount);
    },
    text: of,
  }),
  when: (title: string, of: (row: Row) => string): Column<Row> => ({
    title,
    cell: (row) => moment(of(row)),
    text: of,
  }),
  state: (of: (row: Row) => string): Column<Row> => ({ title: 'State', cell: (row) => badge(of(row)), text: of }),
  /** An id that may be absent. */
  id: (title: string, of: (row: Row) => string | null | undefined): Column<Row> => ({
    title,
    cell: (row) => {
      const one = of(row);
      return one === null || one === undefined ? '–' : idLink(one);
    },
    text: (row) => of(row) ?? null,
  }),
});
