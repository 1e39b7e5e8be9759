/** Built into browsers on phones and Macs; missing from TypeScript's DOM types. */
interface Detector {
  detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>;
}
interface DetectorClass {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats(): Promise<string[]>;
}

/** Sufficient for a code that fills a third of the frame, and fast. */
const MAX_SIDE = 800;

export type Decoder = (video: HTMLVideoElement) => Promise<string | undefined>;

async function createBuiltIn(): Promise<Decoder | undefined> {
  const Detectors = (window as { BarcodeDetector?: DetectorClass }).BarcodeDetector;
  const formats = (await Detectors?.getSupportedFormats().catch(() => [])) ?? [];
  if (!Detectors || !formats.includes('qr_code')) return undefined;
  const detector = new Detectors({ formats: ['qr_code'] });
  return async (video) => (await detector.detect(video))[0]?.rawValue;
}

/** Decodes the QR code in a video frame with the browser's BarcodeDetector, or with a library loaded on demand. */
export async function createDecoder(): Promise<Decoder> {
  const builtIn = await createBuiltIn();
  if (builtIn) return builtIn;
  const { default: jsQR } = await import('jsqr');
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  return async (video) => {
    const { videoWidth, videoHeight } = video;
    if (!context || videoWidth === 0) return undefined;
    const scale = Math.min(1, MAX_SIDE / Math.max(videoWidth, videoHeight));
    canvas.width = Math.round(videoWidth * scale);
    canvas.height = Math.round(videoHeight * scale);
    context.drawImage(video, 0, 0, canvas.width, canvas.height);
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
    return jsQR(data, width, height, { inversionAttempts: 'dontInvert' })?.data || undefined;
  };
}
