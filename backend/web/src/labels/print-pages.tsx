import { createPortal } from 'react-dom';
import type { LabelPage } from './layout';
import { PagePicture } from './page-picture';

/** The printed pages: only the labels, each page of exactly their size. Hidden on screen. */
export function PrintPages({ pages }: { pages: LabelPage[] }) {
  const [first] = pages;
  if (!first) return null;
  const { width, height } = first;
  const rules = `
    [data-paper] { display: none; }
    @page { size: ${width}mm ${height}mm; margin: 0; }
    @media print {
      html, body { margin: 0; height: auto; background: #fff; }
      body > :not([data-paper]) { display: none !important; }
      [data-paper] { display: block; }
      [data-paper] > div { width: ${width}mm; height: ${height}mm; overflow: hidden; break-inside: avoid; background: #fff; }
      [data-paper] > div + div { break-before: page; }
      [data-paper] svg { display: block; }
    }`;
  return createPortal(
    <div data-paper>
      <style>{rules}</style>
      {pages.map((page) => (
        <div key={page.labels[0]?.label.id}>
          <PagePicture page={page} title="" />
        </div>
      ))}
    </div>,
    document.body,
  );
}
