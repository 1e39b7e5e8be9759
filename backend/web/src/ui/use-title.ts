import { useEffect } from 'react';

/** What the browser calls this tab while something is shown: a page, or an order that is opened over it. */
export function useTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = `${title} · Farmboard`;
    return () => {
      document.title = before;
    };
  }, [title]);
}
