/** For preloads: replaces the wall clock of this process. @param now ms, called at each use */
exports.setWallClock = (now) => {
  globalThis.Date = class extends Date {
    constructor(...given) {
      super(...(given.length === 0 ? [now()] : given));
    }
    static now() {
      return now();
    }
  };
};
