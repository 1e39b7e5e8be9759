/** 1 for the long forms, `npm run nightly`; 0.25 for a quarter of their counts; otherwise the short forms run. */
const SHARE = Number(process.env.FARMBOARD_TEST_LONG ?? 0);

export const IS_LONG = SHARE > 0;

/** How often something is done: the short form in every run, the long one at night. */
export const times = (short: number, long: number): number =>
  IS_LONG ? Math.max(short, Math.round(long * SHARE)) : short;
