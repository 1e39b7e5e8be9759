import type { SVGProps } from 'react';

interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'stroke'> {
  /** pixels, or a length */
  size?: number | string;
  /** how thick its lines are */
  stroke?: number | string;
  /** shown under the pointer, and what it means to who doesn't see it */
  title?: string;
}

/** An icon of 24 by 24 units. Most are decoration; who gives one a meaning names it. */
function icon(paths: string[], { size = 24, title, ...attributes }: SVGProps<SVGSVGElement> & IconProps) {
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: it has one if it means something
    <svg xmlns="http://www.w3.org/2000/svg" width={size} height={size} viewBox="0 0 24 24" {...attributes}>
      {title !== undefined && <title>{title}</title>}
      {paths.map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}

/** An icon drawn by lines. @param paths what they follow */
export const outline =
  (...paths: string[]) =>
  ({ stroke = 2, color = 'currentColor', ...props }: IconProps) =>
    icon(paths, {
      fill: 'none',
      stroke: color,
      strokeWidth: stroke,
      strokeLinecap: 'round',
      strokeLinejoin: 'round',
      ...props,
    });

/** An icon drawn by areas. @param paths what surrounds them */
export const filled =
  (...paths: string[]) =>
  ({ stroke: _, color = 'currentColor', ...props }: IconProps) =>
    icon(paths, { fill: color, ...props });
