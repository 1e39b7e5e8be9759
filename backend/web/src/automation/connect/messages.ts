const en = {
  lead: 'Copy-and-paste setup for this server. Its address is filled in, and so is the access token once you create one here.',
  loopback:
    'You opened this page through localhost, which other machines and containers can’t reach. Open the console at the address they use, and the examples will contain it.',
  tokenTitle: 'Access token for these examples',
  tokenName: 'Token name',
  tokenHint: 'The program that will use it',
  tokenMake: 'Create token and fill it in',
  tokenFilled:
    'The examples below now contain your new token. It’s shown only here and disappears when you leave this page.',
  tokenTaken: 'A token with this name already exists. Choose another name.',
  token: 'Access token',
  n8n: {
    title: 'n8n',
    steps: [
      'In n8n, open Settings → Community nodes → Install and enter the package name.',
      'Create a “Farmboard API” credential with this base URL and access token. “Test” shows which account it belongs to.',
      'Start a workflow with the “Farmboard Trigger” node and choose its events. When you publish the workflow, its webhook channel is created here automatically.',
      'Use the “Farmboard” node to read and update orders, filaments and printers. You’ll find ready-made workflows in examples/n8n of the source code.',
    ],
    package: 'Package',
    baseUrl: 'Base URL',
    reach:
      'To send events, Farmboard must be able to reach n8n: set WEBHOOK_URL in n8n to an address that works from this server. WEBHOOK_ALLOWED_HOSTS controls where Farmboard may send.',
  },
  homeAssistant: {
    title: 'Home Assistant',
    configuration: 'configuration.yaml: two commands and a sensor',
    configurationNote:
      'Restart Home Assistant afterwards. Call rest_command.farmboard_set_status with order_id and status.',
    automation: 'automations.yaml: a notification when a print fails',
    automationNote:
      'The webhook ID was generated at random for this page. Anyone who knows it can trigger the automation, so keep it private.',
    channel: 'Channel URL',
    channelNote:
      'Create a webhook channel (format “Signed JSON”) with this URL, using the host name of your Home Assistant:',
  },
  nodeRed: {
    title: 'Node-RED',
    note: 'Copy the flow, then choose menu → Import in Node-RED and paste it. It changes the status of an order (set the flow’s ORDER_ID environment variable) and receives events at /farmboard (set FARMBOARD_SECRET to the channel’s signing secret).',
    flow: 'Flow',
  },
  curl: {
    title: 'curl',
    setup: 'Run this first, once per shell',
    who: 'Check the token',
    create: 'Create an order',
    list: 'List the latest orders with a status',
    move: 'Change the status of the latest order',
    channel: 'Create a webhook channel; its secret appears only in this response',
  },
  signature: {
    title: 'Verify a signature',
    note: 'X-Svc-Signature is the HMAC-SHA256 of the raw request body, keyed with the whole secret (including whsec_). Reject the request if it differs.',
    shell: 'Shell',
    node: 'JavaScript (Node.js)',
    python: 'Python',
  },
  more: 'Everything the API can do',
  docs: 'API documentation',
  openapi: 'OpenAPI document',
  consoleApi: 'OpenAPI document of the console API',
};

const ru: typeof en = {
  lead: 'Готовые настройки для вашего сервера. Адрес уже подставлен, а токен подставится, как только вы создадите его здесь.',
  loopback:
    'Вы открыли страницу через localhost. Другая машина или контейнер по этому имени сюда не попадут: откройте консоль по адресу, который видят они, и он окажется в настройках.',
  tokenTitle: 'Токен для подключения',
  tokenName: 'Название токена',
  tokenHint: 'Программа, которая будет им пользоваться',
  tokenMake: 'Создать токен и подставить',
  tokenFilled: 'В настройках ниже новый токен. Он виден только здесь и исчезнет, когда вы уйдёте со страницы.',
  tokenTaken: 'Токен с таким названием уже есть. Выберите другое.',
  token: 'Токен доступа',
  n8n: {
    title: 'n8n',
    steps: [
      'В n8n откройте Settings → Community nodes → Install и введите имя пакета.',
      'Создайте учётные данные «Farmboard API» с этим Base URL и токеном. «Test» скажет, чья это учётная запись.',
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
    setup: 'Сначала, один раз в оболочке',
    who: 'Работает ли токен?',
    create: 'Создать заказ',
    list: 'Последние заказы со статусом',
    move: 'Передвинуть последний заказ',
    channel: 'Создать канал; секрет в ответе, один раз',
  },
  signature: {
    title: 'Проверка подписи',
    note: 'X-Svc-Signature — это HMAC-SHA256 от точных байтов тела с ключом-секретом целиком (вместе с whsec_). Не совпало — отказывайте.',
    shell: 'Оболочка',
    node: 'JavaScript (Node.js)',
    python: 'Python',
  },
  more: 'Всё, что умеет API',
  docs: 'Документация API',
  openapi: 'Документ OpenAPI',
  consoleApi: 'Документ OpenAPI для API консоли',
};

export const MESSAGES = { en, ru };
