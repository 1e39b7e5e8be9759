import { memo } from 'react';
import { FONT, type Label, type LabelPage } from './layout';

/** A single path for the whole code avoids hairlines between modules. */
const pathOf = ({ qr: { x, y, module, runs } }: Label) =>
  runs
    .map(([column, row, length]) => {
      const width = length * module;
      return `M${x + column * module} ${y + row * module}h${width}v${module}h${-width}z`;
    })
    .join('');

function LabelBody({ label }: { label: Label }) {
  const { x, width, lines } = label.text;
  return (
    <>
      <path d={pathOf(label)} fill="#000" shapeRendering="crispEdges" />
      {/* clips glyphs that are larger than their metrics */}
      <svg x={x} y={0} width={width} height={label.height} overflow="hidden" aria-hidden>
        {lines.map(({ text, y, size, weight }) => (
          <text key={y} x={0} y={y} fontFamily={FONT} fontSize={size} fontWeight={weight} fill="#000">
            {text}
          </text>
        ))}
      </svg>
    </>
  );
}

/** A page of labels as printed and downloaded: black on white in both themes, sizes in millimeters. */
export const PagePicture = memo(function PagePicture({ page, title }: { page: LabelPage; title: string }) {
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={`${page.width}mm`}
      height={`${page.height}mm`}
      viewBox={`0 0 ${page.width} ${page.height}`}
      role="img"
      aria-label={title}
    >
      <rect width={page.width} height={page.height} fill="#fff" />
      {page.labels.map(({ x, y, label }) => (
        <g key={label.id} transform={`translate(${x} ${y})`} data-label={label.id}>
          <LabelBody label={label} />
        </g>
      ))}
    </svg>
  );
});
