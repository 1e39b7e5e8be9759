const en = {
  lead: 'Texts to copy for this very Farmboard. Its address is filled in, and the token as soon as you make one here.',
  loopback:
    'You opened this page as localhost. Another machine or a container cannot reach that name: open the console by the address they use, and the texts have it too.',
  tokenTitle: 'A token for it',
  tokenName: 'Name of the token',
  tokenHint: 'The program that will use it',
  tokenMake: 'Make a token and fill it in',
  tokenFilled: 'The texts below hold the new token. It is shown here only, and gone when you leave this page.',
  tokenTaken: 'There is a token of this name. Choose another.',
  token: 'Access token',
  n8n: {
    title: 'n8n',
    steps: [
      'In n8n open Settings → Community nodes → Install and enter the name of the package.',
      'Make a credential “Farmboard API” with this Base URL and the access token. “Test” says whose account it is.',
      'Begin a workflow with “Farmboard Trigger” and choose its events. Publishing it makes a channel here by itself; nothing is to be copied.',
      'The node “Farmboard” reads and changes orders, filaments and printers. Ready workflows are in examples/n8n of the source.',
    ],
    package: 'Package',
    baseUrl: 'Base URL',
    reach:
      'Farmboard must reach n8n for events: set WEBHOOK_URL in n8n to an address that works from here. Where Farmboard may send to is decided by WEBHOOK_ALLOWED_HOSTS.',
  },
  homeAssistant: {
    title: 'Home Assistant',
    configuration: 'For configuration.yaml: two commands and a sensor',
    configurationNote:
      'Restart Home Assistant afterwards. Call rest_command.farmboard_set_status with order_id and status.',
    automation: 'For automations.yaml: a notice when a print fails',
    automationNote:
      'The webhook’s name is made by chance for this page: whoever knows it can call it, so keep it to yourself.',
    channel: 'Address for the channel',
    channelNote: 'Make a channel (format “Signed JSON”) with this address, with the name of your Home Assistant in it:',
  },
  nodeRed: {
    title: 'Node-RED',
    note: 'Copy it, then in Node-RED: menu → Import → paste. It moves an order (set the environment variable ORDER_ID of the flow) and receives events at /farmboard; give it the channel’s secret as FARMBOARD_SECRET.',
    flow: 'Flow',
  },
  curl: {
    title: 'curl',
    setUp: 'First, once in the shell',
    who: 'Does the token work?',
    create: 'Make an order',
    list: 'The newest orders of a status',
    move: 'Move the newest order',
    channel: 'Make a channel; the secret is in the answer, once',
  },
  signature: {
    title: 'Check a signature',
    note: 'X-Svc-Signature is the HMAC-SHA256 of the very bytes of the body, keyed with the whole secret (whsec_… included). Refuse what differs.',
    shell: 'Shell',
    node: 'JavaScript (Node.js)',
    python: 'Python',
  },
  more: 'Everything the interface can do',
  docs: 'Pages of the interface',
  openapi: 'OpenAPI document',
  consoleApi: 'OpenAPI document of the console’s own door',
};

const ru: typeof en = {
  lead: 'Готовые тексты именно для этого Farmboard. Адрес уже подставлен, а токен подставится, как только вы создадите его здесь.',
  loopback:
    'Вы открыли страницу как localhost. Другая машина или контейнер по этому имени сюда не попадут: откройте консоль по адресу, который видят они, и он окажется в текстах.',
  tokenTitle: 'Токен для подключения',
  tokenName: 'Название токена',
  tokenHint: 'Программа, которая будет им пользоваться',
  tokenMake: 'Создать токен и подставить',
  tokenFilled: 'В текстах ниже новый токен. Он виден только здесь и исчезнет, когда вы уйдёте со страницы.',
  tokenTaken: 'Токен с таким названием уже есть. Выберите другое.',
  token: 'Токен доступа',
  n8n: {
    title: 'n8n',
    steps: [
      'В n8n откройте Settings → Community nodes → Install и введите имя пакета.',
      'Создайте credential «Farmboard API» с этим Base URL и токеном. «Test» скажет, чья это учётная запись.',
      'Начните сценарий с «Farmboard Trigger» и выберите события. При публикации канал появится здесь сам, копировать ничего не нужно.',
      'Узел «Farmboard» читает и меняет заказы, филаменты и принтеры. Готовые сценарии лежат в examples/n8n исходного кода.',
    ],
    package: 'Пакет',
    baseUrl: 'Base URL',
    reach:
      'Для событий Farmboard должен видеть n8n: задайте в n8n WEBHOOK_URL с адресом, доступным отсюда. Куда Farmboard может отправлять, решает WEBHOOK_ALLOWED_HOSTS.',
  },
  homeAssistant: {
    title: 'Home Assistant',
    configuration: 'В configuration.yaml: две команды и датчик',
    configurationNote:
      'Затем перезапустите Home Assistant. Вызывайте rest_command.farmboard_set_status с order_id и status.',
    automation: 'В automations.yaml: уведомление о неудачной печати',
    automationNote:
      'Имя вебхука случайное и создано для этой страницы: кто его знает, тот может его вызвать. Не показывайте его.',
    channel: 'Адрес для канала',
    channelNote: 'Создайте канал (формат «JSON с подписью») с этим адресом, подставив имя вашего Home Assistant:',
  },
  nodeRed: {
    title: 'Node-RED',
    note: 'Скопируйте, затем в Node-RED: меню → Import → вставить. Поток двигает заказ (задайте переменную ORDER_ID) и принимает события на /farmboard; секрет канала дайте ему в FARMBOARD_SECRET.',
    flow: 'Поток',
  },
  curl: {
    title: 'curl',
    setUp: 'Сначала, один раз в оболочке',
    who: 'Работает ли токен?',
    create: 'Создать заказ',
    list: 'Новейшие заказы со статусом',
    move: 'Передвинуть новейший заказ',
    channel: 'Создать канал; секрет в ответе, один раз',
  },
  signature: {
    title: 'Проверка подписи',
    note: 'X-Svc-Signature — это HMAC-SHA256 от точных байтов тела с ключом-секретом целиком (вместе с whsec_…). Не совпало — отказывайте.',
    shell: 'Оболочка',
    node: 'JavaScript (Node.js)',
    python: 'Python',
  },
  more: 'Всё, что умеет интерфейс',
  docs: 'Страницы интерфейса',
  openapi: 'Документ OpenAPI',
  consoleApi: 'Документ OpenAPI для самой консоли',
};

export const WORDS = { en, ru };
