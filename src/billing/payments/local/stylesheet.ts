/** Of the local pages: plain, legible, in the colours of the reader's system. */
export const stylesheet = `:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 36rem; padding: 2rem 1rem; }
h1 { font-size: 1.5rem; }
dl { display: grid; gap: 0.25rem 1.5rem; grid-template-columns: max-content 1fr; }
dt { opacity: 0.7; }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid; padding: 0.4rem 0.6rem 0.4rem 0; text-align: start; }
.amount { font-variant-numeric: tabular-nums; }
.note { border-inline-start: 0.25rem solid; margin-inline: 0; padding-inline-start: 0.75rem; }
form { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-block: 1.5rem; }
button { font: inherit; padding: 0.6rem 1.2rem; }
button:focus-visible, a:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
`;
