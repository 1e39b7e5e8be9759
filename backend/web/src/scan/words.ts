const en = {
  title: 'Scan a label',
  label: 'Label or id',
  placeholder: 'ORDER-…',
  hint: 'Scan with a hand scanner, paste an id, or use the camera.',
  open: 'Open the order',
  notALabel: 'This is no label of an order. It begins with ORDER- and an id follows.',
  unknown: (id: string) =>
    `There is no order with the id ${id}. It may have been deleted, or belongs to another Farmboard.`,
  camera: 'Use the camera',
  stopCamera: 'Stop the camera',
  video: 'What the camera sees',
  looking: 'Hold the QR code of a label before the camera.',
  notSecure:
    'A browser gives the camera only to pages on https or on this very machine. Here a hand scanner and typing work; for the camera open Farmboard by https.',
  refused: 'The camera was not allowed. Allow it for this page in the settings of the browser and try again.',
  noCamera: 'No camera was found.',
  cameraFailed: 'The camera could not be started. Another program may be using it.',
  close: 'Close',
};

const ru: typeof en = {
  title: 'Сканировать этикетку',
  label: 'Этикетка или id',
  placeholder: 'ORDER-…',
  hint: 'Считайте этикетку сканером, вставьте id или включите камеру.',
  open: 'Открыть заказ',
  notALabel: 'Это не этикетка заказа. Она начинается с ORDER-, дальше идёт id.',
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

export const WORDS = { en, ru };
