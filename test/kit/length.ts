/** Whether the long forms run: `npm run nightly`. */
export const IS_LONG = process.env.FARMBOARD_TEST_LONG === '1';

/** How often something is done: the short form in every run, the long one at night. */
export const times = (short: number, long: number): number => (IS_LONG ? long : short);
