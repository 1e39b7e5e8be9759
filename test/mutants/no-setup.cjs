// Replaces the build before all suites for those beside the code, which don't need it.
module.exports = () => undefined;
