import classes from './stock.module.css';
import { useStockFormats } from './use-stock-formats';

/** The colors of a filament, side by side or as a gradient. */
export function Swatch({ colors, isGradient }: { colors: readonly string[]; isGradient: boolean }) {
  const { messages } = useStockFormats();
  const names = colors.join(', ');
  const label = colors.length === 0 ? messages.noColor : isGradient ? messages.gradient(names) : messages.colors(names);
  const flows = isGradient && colors.length > 1;
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className={`${classes.swatch} ${colors.length === 0 ? classes.none : ''}`}
      style={flows ? { background: `linear-gradient(90deg, ${names})` } : undefined}
      data-gradient={flows || undefined}
    >
      {!flows &&
        colors.map((color, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: colors may repeat
          <span key={place} style={{ background: color }} />
        ))}
    </span>
  );
}
