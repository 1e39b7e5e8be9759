import { createHmac } from 'node:crypto';

// What shops send, cut down to what the examples read and a little more. Shopify's and WooCommerce's are the examples that
// they publish, not recorded traffic. As text, because Shopify's IDs have more digits than a number of JavaScript.

/** https://shopify.dev/docs/api/webhooks: the sample payload of `orders/create` */
const SHOPIFY_ORDER = `{
  "id": 820982911946154508,
  "admin_graphql_api_id": "gid://shopify/Order/820982911946154508",
  "created_at": "2021-12-31T19:00:00-05:00",
  "currency": "USD",
  "email": "jon@example.com",
  "financial_status": "voided",
  "name": "#9999",
  "note": null,
  "updated_at": "2021-12-31T19:00:00-05:00",
  "customer": {
    "id": 115310627314723954,
    "email": "john@example.com",
    "first_name": "John",
    "last_name": "Smith"
  },
  "line_items": [
    {
      "id": 866550311766439020,
      "admin_graphql_api_id": "gid://shopify/LineItem/866550311766439020",
      "current_quantity": 1,
      "grams": 567,
      "name": "IPod Nano - 8GB",
      "price": "199.00",
      "quantity": 1,
      "sku": "IPOD2008PINK"
    },
    {
      "id": 141249953214522974,
      "admin_graphql_api_id": "gid://shopify/LineItem/141249953214522974",
      "current_quantity": 1,
      "grams": 567,
      "name": "IPod Nano - 8GB",
      "price": "199.00",
      "quantity": 1,
      "sku": "IPOD2008PINK"
    }
  ]
}`;

/** https://woocommerce.github.io/woocommerce-rest-api-docs/#orders: the created order */
const WOOCOMMERCE_ORDER = `{
  "id": 727,
  "parent_id": 0,
  "number": "727",
  "status": "processing",
  "currency": "USD",
  "date_created_gmt": "2017-03-22T19:28:02",
  "date_modified": "2017-03-22T16:28:08",
  "date_modified_gmt": "2017-03-22T19:28:08",
  "total": "29.35",
  "billing": {
    "first_name": "John",
    "last_name": "Doe",
    "email": "john.doe@example.com",
    "phone": "(555) 555-5555"
  },
  "line_items": [
    { "id": 315, "name": "Woo Single #1", "product_id": 93, "quantity": 2, "total": "6.00", "sku": "", "price": 3 },
    {
      "id": 316,
      "name": "Ship Your Idea &ndash; Color: Black, Size: M Test",
      "product_id": 22,
      "quantity": 1,
      "total": "12.00",
      "sku": "Bar3",
      "price": 12
    }
  ]
}`;

type Changes = [from: string, to: string][];

const changed = (text: string, changes: Changes): Buffer =>
  Buffer.from(changes.reduce((changing, [from, to]) => changing.replace(from, to), text));

/** The published order, as it is after some edits in the shop. */
export const shopifyOrder = (...changes: Changes): Buffer => changed(SHOPIFY_ORDER, changes);
export const wooCommerceOrder = (...changes: Changes): Buffer => changed(WOOCOMMERCE_ORDER, changes);

/** What both shops send in a header of their own. */
export const signatureOf = (secret: string, body: Buffer): string =>
  createHmac('sha256', secret).update(body).digest('base64');

/** The fields of a receipt (https://developers.etsy.com/documentation/reference), which is published without values. */
export const etsyReceipt = (updatedTimestamp: number, firstQuantity = 2) => ({
  receipt_id: 3456789012,
  status: 'Paid',
  name: 'Grace Hopper',
  buyer_email: 'grace@shop.example',
  is_paid: true,
  update_timestamp: updatedTimestamp,
  updated_timestamp: updatedTimestamp,
  transactions: [
    {
      transaction_id: 4001,
      title: 'Planter with saucer',
      quantity: firstQuantity,
      price: { amount: 1950, divisor: 100, currency_code: 'EUR' },
    },
    {
      transaction_id: 4002,
      title: 'Cable clip',
      quantity: 10,
      price: { amount: 120, divisor: 100, currency_code: 'EUR' },
    },
  ],
});
