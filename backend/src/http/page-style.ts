/** Styles of the public pages: one column, light and dark, for phones and print. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ground: #f6f7f8; --ink: #1b1f24; --soft: #55606b; --line: #d5dae0; --accent: #1864ab; --on-accent: #ffffff; --bad: #c92a2a; --good: #237032;
}
@media (prefers-color-scheme: dark) {
  :root { --paper: #1c2024; --ground: #131619; --ink: #e8ebee; --soft: #a3adb8; --line: #3a424b; --accent: #74b4f0; --on-accent: #10151a; --bad: #ff8787; --good: #8ce99a; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; overflow-wrap: anywhere; }
main { max-width: 760px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 8px; }
h2 { font-size: 1.2rem; margin: 32px 0 8px; }
p { margin: 0 0 12px; }
a { color: var(--accent); }
.soft { color: var(--soft); }
.farm { color: var(--soft); font-weight: 600; margin: 0 0 4px; }
.master h2 + .soft { margin: -2px 0 6px; }
.text { white-space: pre-wrap; }
.panel { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 20px; margin: 16px 0; }
.panel > h2:first-child { margin-top: 0; }
.bad { color: var(--bad); }
.good { color: var(--good); }
label { display: block; font-weight: 600; margin: 14px 0 4px; }
.hint { display: block; font-weight: 400; color: var(--soft); font-size: 0.9rem; }
input, textarea, select { width: 100%; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--soft); border-radius: 6px; padding: 9px 11px; }
textarea { min-height: 8em; resize: vertical; }
button, .button { display: inline-block; font: inherit; font-weight: 600; border: 0; border-radius: 6px; padding: 11px 20px; margin-top: 16px; background: var(--accent); color: var(--on-accent); cursor: pointer; text-decoration: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; padding: 8px 6px; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.top { display: flex; justify-content: space-between; gap: 16px; max-width: 760px; margin: 0 auto; padding: 12px 16px 0; font-size: 0.9rem; }
.top a { padding: 6px 0; }
.plain { font-weight: 400; }
.row { display: flex; gap: 8px; }
.row button { margin-top: 0; white-space: nowrap; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(200px, 1fr)); gap: 0 16px; }
.tags { display: flex; flex-wrap: wrap; gap: 6px; list-style: none; margin: 0; padding: 0; }
.tags li { border: 1px solid var(--line); border-radius: 999px; padding: 2px 10px; font-size: 0.9rem; background: var(--ground); }
.photos { display: grid; grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); gap: 10px; margin: 16px 0; }
.photos img { width: 100%; aspect-ratio: 4 / 3; object-fit: cover; border-radius: 8px; background: var(--line); }
.master { display: flex; gap: 16px; align-items: flex-start; }
.master > div { min-width: 0; flex: 1; }
.master h2 { margin: 0 0 6px; }
.master img { width: 112px; aspect-ratio: 1; object-fit: cover; border-radius: 8px; flex-shrink: 0; background: var(--line); }
.clip { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; white-space: pre-line; }
.pager { display: flex; gap: 16px; justify-content: center; margin-top: 24px; }
.alert { border: 1px solid var(--bad); border-radius: 8px; padding: 12px 16px; margin: 12px 0; }
.alert p, .alert ul { margin: 6px 0 0; }
[aria-invalid] { border-color: var(--bad); }
.trap { position: absolute; left: -10000px; width: 1px; height: 1px; overflow: hidden; }
button:disabled { opacity: 0.5; cursor: default; }
@media (max-width: 480px) { .master { flex-direction: column; } .master img { width: 100%; aspect-ratio: 16 / 9; } }
.big { font-size: 1.35rem; font-weight: 700; margin: 0 0 4px; }
.after { margin: 16px 0 0; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(200px, 1fr)); gap: 0 24px; margin: 16px 0; }
.lines td, .lines th { font-size: 0.94rem; }
/* on a phone each line of an invoice is a block: a table of four columns would break numbers in two */
@media screen and (max-width: 560px) {
  .panel { padding: 16px; }
  .lines, .lines tbody, .lines tfoot, .lines tr { display: block; }
  .lines thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .lines tbody tr { display: grid; grid-template-columns: auto auto 1fr; gap: 0 6px; padding: 10px 0; border-bottom: 1px solid var(--line); }
  .lines tbody td { border: 0; padding: 0; }
  .lines tbody td:first-child { grid-column: 1 / -1; font-weight: 600; }
  .lines tbody td:nth-child(2), .lines tbody td:nth-child(3) { color: var(--soft); }
  .lines tbody td:nth-child(2)::after { content: ' ×'; }
  .lines tfoot tr { display: flex; justify-content: space-between; align-items: baseline; gap: 12px; padding: 10px 0; }
  .lines tfoot th, .lines tfoot td { border: 0; padding: 0; }
}
@media print {
  :root { --paper: #fff; --ground: #fff; --ink: #000; --soft: #333; --line: #999; }
  .panel { border: 0; padding: 0; }
  .screen { display: none; }
}
`;
