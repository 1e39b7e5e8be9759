/** What browsers on phones and Macs have built in; TypeScript does not know it yet. */
interface Detector {
  detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>;
}
interface DetectorClass {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats(): Promise<string[]>;
}

/** Enough for a code that fills a third of the picture, and quick. */
const MAX_SIDE = 800;

export type Decoder = (video: HTMLVideoElement) => Promise<string | undefined>;

async function createBuiltIn(): Promise<Decoder | undefined> {
  const Detectors = (window as { BarcodeDetector?: DetectorClass }).BarcodeDetector;
  const formats = (await Detectors?.getSupportedFormats().catch(() => [])) ?? [];
  if (!Detectors || !formats.includes('qr_code')) return undefined;
  const detector = new Detectors({ formats: ['qr_code'] });
  return async (video) => (await detector.detect(video))[0]?.rawValue;
}

/** Reads the QR code in a picture of the camera: as the browser does it, else with a library that is loaded now. */
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
