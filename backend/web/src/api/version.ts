import { queryOptions } from '@tanstack/react-query';

/** URL of the running script; its name contains a hash of the build. */
const ownScript = new URL(document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '', location.href)
  .pathname;

/** Whether the server has a newer console. Checked when loading a part fails and on every reconnect. */
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
