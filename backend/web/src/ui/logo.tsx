/** The logo: three columns of a board. */
export function Logo({ size = 24 }: { size?: number }) {
  return <img src="/console/icon.svg" width={size} height={size} alt="" />;
}
