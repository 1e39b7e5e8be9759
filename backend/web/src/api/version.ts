import { queryOptions } from '@tanstack/react-query';

/** The script that this page runs: its name has a digest of everything it may load. */
const ownScript = new URL(document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '', location.href)
  .pathname;

/** Whether the service has another build of the console by now. Asked when a part of this one cannot be had, and at every reconnect. */
export const newVersionQuery = queryOptions({
  queryKey: ['version'],
  async queryFn({ signal }) {
    const page = await fetch('/console/', { signal, cache: 'no-cache' });
    const html = await page.text();
    if (!page.ok || !html.includes('type="module"')) throw new Error(`${page.status} in place of the console`);
    return !html.includes(ownScript);
  },
  initialData: false,
});
