import { useEffect } from 'react';

/** Sets the tab title while a page or an open order is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = `${title} · Farmboard`;
    return () => {
      document.title = before;
    };
  }, [title]);
}
