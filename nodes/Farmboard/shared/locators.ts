import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';
const LABEL = '([Oo][Rr][Dd][Ee][Rr]-)?';
const EXAMPLE = '0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c70';

interface Kind {
  name: string;
  displayName: string;
  /** noun with article, as in "Select an order..." */
  one: string;
  /** path segment of its records */
  segment: string;
  searchListMethod: string;
  /** whether its records have scannable labels */
  labelled?: true;
}

/** Resource locator: from a searchable list, by ID or by URL. */
const locator = ({ name, displayName, one, segment, searchListMethod, labelled }: Kind): INodeProperties => ({
  displayName,
  name,
  type: 'resourceLocator',
  required: true,
  default: { mode: 'list', value: '' },
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: `Select ${one}...`,
      typeOptions: { searchListMethod, searchable: true },
    },
    {
      displayName: 'By ID',
      name: 'id',
      type: 'string',
      placeholder: `e.g. ${EXAMPLE}`,
      validation: [
        {
          type: 'regex',
          properties: { regex: `^\\s*${labelled ? LABEL : ''}${UUID}\\s*$`, errorMessage: 'This is not an ID' },
        },
      ],
    },
    {
      displayName: 'By URL',
      name: 'url',
      type: 'string',
      placeholder: `e.g. http://localhost:3000/api/v1/${segment}/${EXAMPLE}`,
      validation: [
        {
          type: 'regex',
          properties: {
            regex: `^\\s*https?://.+(/${labelled ? '|[?&]order=' : ''})${UUID}([/?#&].*)?\\s*$`,
            errorMessage: 'There is no ID in this URL',
          },
        },
      ],
    },
  ],
});

const byId = locator({
  name: 'orderId',
  displayName: 'Order',
  one: 'an order',
  segment: 'print-jobs',
  searchListMethod: 'searchOrders',
  labelled: true,
});

/** Order locator. Every mode accepts a scanned label; a separate mode makes this visible. */
export const orderLocator: INodeProperties = {
  ...byId,
  description: 'The order: choose it from the list, or give its ID, its URL or its scanned label (ORDER-ID)',
  modes: [
    ...(byId.modes as INodePropertyMode[]),
    {
      displayName: 'By Label',
      name: 'label',
      type: 'string',
      placeholder: `e.g. ORDER-${EXAMPLE}`,
      hint: 'The text a scanner reads from the QR label of the order',
      validation: [
        {
          type: 'regex',
          properties: {
            regex: `^\\s*[Oo][Rr][Dd][Ee][Rr]-${UUID}\\s*$`,
            errorMessage: 'A label has the form ORDER-<ID>',
          },
        },
      ],
    },
  ],
};

export const printerLocator: INodeProperties = {
  ...locator({
    name: 'printerId',
    displayName: 'Printer',
    one: 'a printer',
    segment: 'printers',
    searchListMethod: 'searchPrinters',
  }),
  description: 'The printer: choose it from the list, or give its ID or URL',
};

export const filamentLocator: INodeProperties = {
  ...locator({
    name: 'filamentId',
    displayName: 'Filament',
    one: 'a filament',
    segment: 'filaments',
    searchListMethod: 'searchFilaments',
  }),
  description: 'The filament: choose it from the list, or give its ID or URL',
};

export const subscriptionLocator: INodeProperties = {
  ...locator({
    name: 'subscriptionId',
    displayName: 'Webhook',
    one: 'a webhook',
    segment: 'webhook-subscriptions',
    searchListMethod: 'searchSubscriptions',
  }),
  description: 'The webhook channel: choose it from the list, or give its ID or URL',
};

export const leadLocator: INodeProperties = {
  ...locator({ name: 'leadId', displayName: 'Lead', one: 'a lead', segment: 'leads', searchListMethod: 'searchLeads' }),
  description: 'The lead: choose it from the list, or give its ID or URL',
};

export const invoiceLocator: INodeProperties = {
  ...locator({
    name: 'invoiceId',
    displayName: 'Invoice',
    one: 'an invoice',
    segment: 'invoices',
    searchListMethod: 'searchInvoices',
  }),
  description: 'The invoice: choose it from the list, or give its ID or URL',
};

/** The same for collections, whose fields are optional. */
export const optional = (property: INodeProperties): INodeProperties => ({ ...property, required: false });
