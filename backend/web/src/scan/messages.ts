const en = {
  title: 'Scan a label',
  label: 'Label or order ID',
  placeholder: 'ORDER-…',
  hint: 'Use a hand scanner, paste an order ID, or use the camera.',
  open: 'Open order',
  notALabel:
    'This isn’t an order label. Labels start with ORDER-, followed by an ID. If a scanner typed this, set it to a US keyboard, close this dialog, and scan again.',
  unknown: (id: string) =>
    `Order ${id} not found. It may have been deleted, or it belongs to another Farmboard server.`,
  camera: 'Use camera',
  stopCamera: 'Stop camera',
  video: 'Camera view',
  looking: 'Point the camera at the QR code on a label.',
  notSecure:
    'Browsers allow the camera only over HTTPS or on this computer. To use it, open Farmboard over HTTPS. Hand scanners and typing work here, too.',
  refused: 'Camera access was denied. Allow it for this page in your browser settings and try again.',
  noCamera: 'No camera found.',
  cameraFailed: 'Couldn’t start the camera. Another program may be using it.',
  close: 'Close',
};

const ru: typeof en = {
  title: 'Сканировать этикетку',
  label: 'Этикетка или id',
  placeholder: 'ORDER-…',
  hint: 'Считайте этикетку сканером, вставьте id или включите камеру.',
  open: 'Открыть заказ',
  notALabel:
    'Это не этикетка заказа. Она начинается с ORDER-, дальше идёт id. Если её ввёл сканер, настройте его на клавиатуру США, закройте это окно и считайте этикетку ещё раз.',
  unknown: (id) => `Заказа с id ${id} нет. Возможно, его удалили или он из другого Farmboard.`,
  camera: 'Включить камеру',
  stopCamera: 'Выключить камеру',
  video: 'Что видит камера',
  looking: 'Поднесите QR-код этикетки к камере.',
  notSecure:
    'Браузер даёт камеру только страницам по https или на этом же компьютере. Сканер и ввод с клавиатуры здесь работают, а для камеры откройте Farmboard по https.',
  refused: 'Доступ к камере не разрешён. Разрешите его для этой страницы в настройках браузера и попробуйте ещё раз.',
  noCamera: 'Камера не найдена.',
  cameraFailed: 'Камеру не удалось включить. Возможно, её занимает другая программа.',
  close: 'Закрыть',
};

export const MESSAGES = { en, ru };
