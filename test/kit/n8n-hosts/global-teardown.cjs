module.exports = async () => globalThis.clearN8nRun?.();
