// Made by `npm run wire` from the OpenAPI document of /console/api. Not edited by hand.
export interface paths {
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the session, and whether setup or sign-up is possible
         * @description Get the session, and whether setup or sign-up is possible.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in
         * @description Sign in.
         */
        post: operations["signIn"];
        /**
         * Sign out
         * @description Sign out.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/set-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create the owner account with the code from the setup link
         * @description Create the owner account with the code from the setup link.
         */
        post: operations["setUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an account (SIGN_UP=open)
         * @description Create an account (SIGN_UP=open).
         */
        post: operations["signUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/filaments/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Grams used per day
         * @description By UTC day and filament, excluding undone entries. The twelve most used filaments are listed, all others are summed up.
         */
        get: operations["getFilamentUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/filaments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a filament
         * @description Read a filament.
         */
        get: operations["getFilament"];
        /**
         * Update a filament
         * @description Changes only the fields sent. `spool_weight_grams` can be corrected until grams are deducted or counted, and again once all of that is undone. Raising the threshold to the remaining grams or more sends `filament.low_stock`.
         */
        put: operations["updateFilament"];
        post?: never;
        /**
         * Delete a filament
         * @description With its batches and its ledger. Orders keep in their history what was used for them.
         */
        delete: operations["deleteFilament"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/filaments/{id}/ledger/{entry_id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a ledger entry
         * @description Adds the opposite entry to the same batch, and to the batches of all entries made with it. An entry can be undone once, a receipt only while none of its batch has been used. If it belonged to an order, the order's history gets the reversal. An entry that is older than a stocktake (`later_stocktake` in the ledger) can be undone, too, but changes the stock that was counted.
         */
        post: operations["undoFilamentLedgerEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/filaments/{id}/stock-take": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enter a stocktake
         * @description The difference is recorded as adjustments: missing grams are deducted from the oldest batch first, surplus grams are returned to the batch used last and those before it. Full spools may hold up to 10 % more than their labels say: `used_grams` is then negative. Afterwards, no batch is overdrawn. A count that matches is recorded, too, as an adjustment of 0 g.
         */
        post: operations["takeStockOfFilament"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print-jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an order
         * @description Read an order.
         */
        get: operations["getOrder"];
        /**
         * Update an order
         * @description Changes only the fields sent. An unknown `workflow_status` resets the order to `negotiation` without an error; the response then contains `X-Svc-Status-Reset`. `order.status_changed` is sent if the stored status changed.
         */
        put: operations["updateOrder"];
        post?: never;
        /**
         * Delete an order and its history
         * @description Delete an order and its history.
         */
        delete: operations["deleteOrder"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print-jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List orders
         * @description Newest first. `closed` orders are hidden unless `workflow_status=closed` or `include_closed=true`. Unknown query parameters are rejected.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Create an order
         * @description Sends `order.created`. Read-only and unknown fields are ignored and listed in `X-Svc-Ignored-Fields`.
         */
        post: operations["createOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print-jobs/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an order's history, newest first
         * @description List an order's history, newest first.
         */
        get: operations["getOrderHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/filaments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List filaments
         * @description Newest first. Unknown query parameters are rejected.
         */
        get: operations["listFilaments"];
        put?: never;
        /**
         * Create a filament
         * @description With a `spool_count` its first batch is received at once.
         */
        post: operations["createFilament"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/filaments/{id}/consume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deduct grams
         * @description Oldest batch first, across as many batches as needed. If there isn't enough: 409 `insufficient_stock`, and nothing is deducted. With `allow_overdraw`, everything is deducted anyway, the last batch goes negative and is marked for review; without a batch it is refused all the same: add one first. `filament.low_stock` is sent when the remaining grams reach the threshold. `X-Svc-Already-Deducted` says that a print report may have deducted the same print: use one of the two.
         */
        post: operations["consumeFilament"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/filaments/{id}/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a filament's batches, newest first
         * @description List a filament's batches, newest first.
         */
        get: operations["listFilamentBatches"];
        put?: never;
        /**
         * Receive spools
         * @description Receive spools.
         */
        post: operations["addFilamentBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/filaments/{id}/batches/{batch_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a batch
         * @description Read a batch.
         */
        get: operations["getFilamentBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/filaments/{id}/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a filament's ledger, newest first
         * @description List a filament's ledger, newest first.
         */
        get: operations["getFilamentLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/printers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List printers
         * @description Newest first, including printers in groups. Unknown query parameters are rejected.
         */
        get: operations["listPrinters"];
        put?: never;
        /**
         * Add a printer
         * @description Add a printer.
         */
        post: operations["createPrinter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/printers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a printer
         * @description Read a printer.
         */
        get: operations["getPrinter"];
        /**
         * Update a printer
         * @description Changes only the fields sent.
         */
        put: operations["updatePrinter"];
        post?: never;
        /**
         * Delete a printer
         * @description Its orders stay but are no longer assigned to a printer.
         */
        delete: operations["deletePrinter"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/printer-groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List printer groups (farms)
         * @description Newest first.
         */
        get: operations["listPrinterGroups"];
        put?: never;
        /**
         * Add a printer group
         * @description Add a printer group.
         */
        post: operations["createPrinterGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/printer-groups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a printer group
         * @description Read a printer group.
         */
        get: operations["getPrinterGroup"];
        /**
         * Update a printer group
         * @description Changes only the fields sent.
         */
        put: operations["updatePrinterGroup"];
        post?: never;
        /**
         * Delete a printer group
         * @description Its printers stay but no longer belong to a group.
         */
        delete: operations["deletePrinterGroup"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook channels, without secrets
         * @description List webhook channels, without secrets.
         */
        get: operations["listWebhookSubscriptions"];
        put?: never;
        /**
         * Create a webhook channel
         * @description For a signed channel, the response contains its `secret`, only once; repeating the request with the same Idempotency-Key doesn't return it again. An account can have up to 10 channels. With the `client_key` of a channel that was deleted in the last 30 days, that channel is continued: it has the same ID and a new secret, its sequence goes on, and the events it missed are in it as failed deliveries (`unsubscribed`). The key of a channel that exists is an error, with its `id`.
         */
        post: operations["createWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook channel, without its secret
         * @description Read a webhook channel, without its secret.
         */
        get: operations["getWebhookSubscription"];
        /**
         * Update a webhook channel
         * @description Disabling a channel discards its pending deliveries (`channel_disabled`).
         */
        put: operations["updateWebhookSubscription"];
        post?: never;
        /**
         * Delete a webhook channel and its history
         * @description The history of a channel with a `client_key` is kept for 30 days, in case it is created again.
         */
        delete: operations["deleteWebhookSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-subscriptions/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the signing secret
         * @description The response contains the new secret, only once. The old one stops working immediately.
         */
        post: operations["recreateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-subscriptions/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Sends `webhook.test` and returns the attempt, even if the receiver failed: check its `status`. Orders aren't affected.
         */
        post: operations["testWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-subscriptions/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the last 20 attempts, newest first
         * @description There is only one page.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-subscriptions/{id}/deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend the event of an attempt
         * @description Creates a new attempt. Nothing is retried automatically.
         */
        post: operations["resendWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-subscriptions/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a channel's events after a sequence number, in order, with bodies
         * @description For receivers that notice a gap in X-Svc-Sequence. Kept for 30 days.
         */
        get: operations["listWebhookSequence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events, newest first
         * @description All events of the last 30 days, including those that no channel selected.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requests from the public profile
         * @description Newest first. Unknown query parameters are rejected.
         */
        get: operations["listLeads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a request
         * @description Read a request.
         */
        get: operations["getLead"];
        /**
         * Mark a request as new, answered or archived
         * @description Mark a request as new, answered or archived.
         */
        put: operations["updateLead"];
        post?: never;
        /**
         * Delete a request and its file
         * @description Delete a request and its file.
         */
        delete: operations["deleteLead"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invoices
         * @description Newest first. All amounts are minor units of the invoice’s currency.
         */
        get: operations["listInvoices"];
        put?: never;
        /**
         * Create a draft invoice
         * @description A draft made of orders or custom lines. It has no number and can be edited until it is issued.
         */
        post: operations["createInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an invoice, its lines and payments
         * @description Read an invoice, its lines and payments.
         */
        get: operations["getInvoice"];
        /**
         * Update a draft
         * @description Changes only the fields sent; `lines` are replaced as a whole.
         */
        put: operations["updateInvoice"];
        post?: never;
        /**
         * Delete a draft
         * @description Delete a draft.
         */
        delete: operations["deleteInvoice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The account and the token of this request
         * @description Returns 200 only if the access token is valid. Use it to test credentials.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a summary
         * @description Plain numbers for a dashboard or a sensor: orders by status, low filaments, printers.
         */
        get: operations["getSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/order-search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find orders
         * @description Finds what `q` of the list of orders finds.
         */
        get: operations["findOrders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/printer-order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Reorder printers
         * @description Numbers the printers from 1 in the given order (`sort_order`) and moves them to the group, in one step. Other printers are unchanged.
         */
        put: operations["placePrinters"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/printer-group-order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Reorder printer groups
         * @description Numbers the groups from 1 in the given order (`sort_order`).
         */
        put: operations["placePrinterGroups"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents, without their tokens
         * @description List agents, without their tokens.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Create an agent for a printer or a printer group
         * @description The response contains its token, only once. The token is valid for /agent/v1 only.
         */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an agent
         * @description Takes effect with its next request. Its reports stay.
         */
        delete: operations["revokeAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print-reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the latest report of each printer
         * @description Printers without reports are left out.
         */
        get: operations["listLastPrintReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/printers/{id}/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a printer's reports, newest first
         * @description List a printer's reports, newest first.
         */
        get: operations["listPrintReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/refused-reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the refused reports of each printer
         * @description Printers without any are left out.
         */
        get: operations["countRefusedReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/printers/{id}/refused-reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a printer's refused reports, newest first
         * @description The last 100 that were refused, for 30 days. Includes those of the agents of its group that do not say which printer they are from.
         */
        get: operations["listRefusedReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/printers/{id}/refused-reports/{refused_report_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Process a refused report again
         * @description As one of this printer, under its event_id. If it is accepted, it is a report like any other and no longer listed here; if not, it stays with the new reason.
         */
        post: operations["retryRefusedReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/printers/{id}/refused-reports/{refused_report_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Dismiss a refused report
         * @description Deletes it. It cannot be processed any more, unless it is sent again.
         */
        delete: operations["dismissRefusedReport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/printers/{id}/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a printer's report rules
         * @description Get a printer's report rules.
         */
        get: operations["getPrinterRules"];
        /**
         * Update a printer's report rules
         * @description Changes only the fields sent. All rules are off by default.
         */
        put: operations["updatePrinterRules"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lead-counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count requests by state
         * @description Count requests by state.
         */
        get: operations["countLeads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leads/{id}/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an order from a request
         * @description Sends `order.created`. Calling it again returns 200 with the existing order.
         */
        post: operations["turnLeadIntoOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leads/{id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the file of a request
         * @description Always as a download.
         */
        get: operations["downloadLeadFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public profile
         * @description Get the public profile.
         */
        get: operations["getProfile"];
        /**
         * Update the public profile
         * @description Changes only the fields sent. `is_public` publishes the profile.
         */
        put: operations["updateProfile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profile/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview the public page
         * @description Preview the public page.
         */
        get: operations["previewProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profile/photos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a photo
         * @description Add a photo.
         */
        post: operations["addPhoto"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profile/photo-order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Reorder the photos
         * @description Reorder the photos.
         */
        put: operations["placePhotos"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profile/photos/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a photo, even if the profile is not public
         * @description Get a photo, even if the profile is not public.
         */
        get: operations["getPhoto"];
        put?: never;
        post?: never;
        /**
         * Delete a photo
         * @description Delete a photo.
         */
        delete: operations["removePhoto"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoices/{id}/issue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue an invoice
         * @description Assigns the next number of the year and a payment link. The invoice can't be edited afterwards.
         */
        post: operations["issueInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoices/{id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Void an invoice
         * @description The invoice keeps its number but can no longer be paid. Voiding it again has no effect.
         */
        post: operations["voidInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoices/{id}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record a payment or refund
         * @description For cash, bank transfers and other offline payments. Sends no `invoice.paid`.
         */
        post: operations["recordPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoice-payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payments and refunds
         * @description Newest first, including unmatched payments.
         */
        get: operations["listPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoice-payments/{id}/review": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark a payment as reviewed
         * @description Mark a payment as reviewed.
         */
        post: operations["reviewPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoice-seller": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the business details
         * @description Get the business details.
         */
        get: operations["getSeller"];
        /**
         * Update the business details
         * @description Applies to invoices issued from now on.
         */
        put: operations["updateSeller"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payment-providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payment providers
         * @description Oldest first, without their secrets.
         */
        get: operations["listPaymentProviders"];
        put?: never;
        /**
         * Add a payment provider
         * @description For signed notifications, the response contains the secret, only once.
         */
        post: operations["createPaymentProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payment-providers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update a payment provider
         * @description Update a payment provider.
         */
        put: operations["updatePaymentProvider"];
        post?: never;
        /**
         * Delete a payment provider
         * @description Its payments stay. Later reports from it are rejected.
         */
        delete: operations["deletePaymentProvider"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payment-providers/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret for signed notifications
         * @description The response contains the new secret, only once. The old one stops working immediately.
         */
        post: operations["renewNoticeSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the settings of the account
         * @description Read the settings of the account.
         */
        get: operations["getAccount"];
        /**
         * Change the currency of the account
         * @description Refused as soon as a price is stored.
         */
        put: operations["updateAccount"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description List sessions.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Sign out all other sessions
         * @description Sign out all other sessions.
         */
        delete: operations["signOutElsewhere"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign out one session
         * @description Sign out one session.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the password and sign out all other sessions
         * @description Change the password and sign out all other sessions.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/password-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enter the password again
         * @description For ten minutes, changes that need the password are accepted.
         */
        post: operations["checkPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List access tokens, without the tokens themselves
         * @description List access tokens, without the tokens themselves.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create an access token; it is returned only once
         * @description A token that is valid for more than 30 days needs the password.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an access token
         * @description Revoke an access token.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/event-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events of the last 30 days with their deliveries, newest first
         * @description List events of the last 30 days with their deliveries, newest first.
         */
        get: operations["listEventLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the request of an attempt: headers and body
         * @description Get the request of an attempt: headers and body.
         */
        get: operations["getSentRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream changes (text/event-stream)
         * @description Each event is named `change` and contains `{ kind, id }`, plus `gone: true` for a deleted order: an order, filament, printer, channel, request (`lead`) or invoice was created, changed or deleted. Request the record to see its current state. `event`: new events were recorded, this one among the latest. `delivery`: deliveries of the channel with this ID finished. One `event` or `delivery` can stand for many. `report`: a new report for the printer with this ID. The stream ends with the session. Beyond 20 streams of a session or 100 of an account, the oldest one ends.
         */
        get: operations["listen"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sample-data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of the sample data
         * @description Get the state of the sample data.
         */
        get: operations["getSampleData"];
        put?: never;
        /**
         * Add sample data to an empty account
         * @description Sends no events. Rejected if the account isn't empty.
         */
        post: operations["fillWithSampleData"];
        /**
         * Remove the sample data
         * @description With what was changed on it since. What was added by hand or by an automation stays.
         */
        delete: operations["removeSampleData"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/figures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the overview
         * @description Due orders, orders by status and by day, failures, reported prints, material used and failing channels. All lists are limited.
         */
        get: operations["getFigures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/figures/printers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get each printer's workload
         * @description Open orders per printer and status, and those being printed. Printers without open orders are left out.
         */
        get: operations["getPrinterFigures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An error (RFC 9457). Base your logic on `code`. */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @enum {string} */
            code: "malformed_json" | "json_too_deep" | "malformed_request" | "unauthorized" | "cross_site" | "password_required" | "not_found" | "method_not_allowed" | "insufficient_stock" | "invoice_state" | "idempotency_conflict" | "client_key_in_use" | "version_conflict" | "precondition_failed" | "body_too_large" | "unsupported_media_type" | "validation_error" | "unknown_workflow_status" | "unknown_event" | "channel_limit_reached" | "blocked_address" | "rate_limited" | "internal_error" | "unavailable";
            errors?: {
                pointer: string;
                detail: string;
            }[];
            request_id: string;
            /** @description insufficient_stock: what was asked for */
            requested_grams?: number;
            /** @description insufficient_stock: what is there */
            available_grams?: number;
            /** @description insufficient_stock: what is missing */
            shortage_grams?: number;
            /** @description insufficient_stock: whether `allow_overdraw` would deduct it; false: the filament has no batch */
            can_overdraw?: boolean;
            /** @description unknown_workflow_status, unknown_event: the values that exist */
            allowed?: string[];
            /** @description agent API: the refused report is on its printer's page, where its owner can try it again */
            kept?: boolean;
            /**
             * Format: uuid
             * @description client_key_in_use: the channel that has the key
             */
            id?: string;
            /** @description validation_error: the letters that an invoice's PDF can't show */
            missing_letters?: {
                pointer: string;
                letters: string[];
            }[];
            /** @description blocked_address: the setting that would allow it */
            setting?: string;
        };
        Session: {
            /** @description the signed-in account; null when signed out */
            person: components["schemas"]["Person"] | null;
            /** @description no account exists yet; create the owner account with the setup link */
            needs_set_up: boolean;
            /** @description whether anyone can create an account */
            sign_up: boolean;
        };
        Person: {
            account_name: string;
            email: string;
            /** @description ISO 4217 */
            currency: string;
        };
        CredentialsInput: {
            email: string;
            password: string;
        };
        SetUpInput: {
            email: string;
            name: string;
            password: string;
            /** @description currency of prices and costs; default RUB */
            currency?: string;
            code: string;
        };
        NewOwnerInput: {
            email: string;
            name: string;
            password: string;
            /** @description currency of prices and costs; default RUB */
            currency?: string;
        };
        FilamentUsage: {
            /** Format: date */
            from: string;
            /** Format: date */
            to: string;
            items: {
                /** @description null: all others together */
                filament_id: string | null;
                name: string | null;
                colors: string[];
                grams: number;
                /** @description days without use are left out */
                days: {
                    /** Format: date */
                    day: string;
                    grams: number;
                }[];
            }[];
        };
        FilamentPatchInput: {
            name?: string;
            brand?: string;
            /** @description material type */
            type_name?: string;
            colors?: string[];
            is_gradient?: boolean;
            /** @description rounded to 3 decimals; 0 or null: never low */
            low_stock_threshold_grams?: number | null;
            /** @description what received spools hold changes with it, so only until grams are deducted or counted, or once all of that is undone */
            spool_weight_grams?: number;
        };
        Filament: {
            /** Format: uuid */
            id: string;
            name: string;
            brand: string;
            type_name: string;
            colors: string[];
            is_gradient: boolean;
            spool_weight_grams: number;
            /** @description used of the unarchived batches; negative if a stocktake found more in full spools than their labels say */
            used_grams: number;
            /** @description spools received in the unarchived batches */
            spool_count: number;
            /** @description 0: never low */
            low_stock_threshold_grams: number;
            /** @description price of a spool of the batch now in use; null: not known */
            spool_price: number | null;
            /** @description the account's currency, ISO 4217 */
            spool_price_currency: string;
            /** @description `spool_price` where the account is in roubles, else null */
            spool_price_rub: number | null;
            /** @description spool_weight_grams × spool_count − used_grams; negative when overdrawn */
            remaining_grams: number;
            /** @description at or below the threshold */
            is_low_stock: boolean;
            /** @description a batch is overdrawn */
            needs_review: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        UndoRequestInput: {
            note?: string | null;
        };
        StockTakeInput: {
            /** @description what is there, without empty spools; rounded to 3 decimals; up to 10 % more than was received */
            remaining_grams: number;
            /** @description the one batch that was weighed; absent: all of them together */
            batch_id?: string | null;
            /** @description why it differs */
            note?: string | null;
        };
        Order: {
            /** Format: uuid */
            id: string;
            model_name: string;
            quantity_pieces: number;
            material_name: string;
            color_hex: string;
            material_grams: number;
            print_hours: number;
            /** Format: date */
            due_date: string;
            order_notes: string;
            /** @enum {string} */
            workflow_status: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
            printer_id: string | null;
            printer_name: string | null;
            customer_name: string | null;
            customer_contact: string | null;
            price: number | null;
            currency: string | null;
            /** @description what was received when the status was last set to a value that is not listed; null once a listed one is set */
            status_reset_received: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        NewOrderInput: {
            model_name: string;
            quantity_pieces?: number;
            material_name?: string;
            color_hex?: string;
            /** @description grams of material, rounded to 3 decimals */
            material_grams?: number;
            /** @description hours, rounded to 3 decimals */
            print_hours?: number;
            /** Format: date */
            due_date?: string;
            order_notes?: string;
            /** @description a printer of this account; null: none */
            printer_id?: string | null;
            customer_name?: string | null;
            customer_contact?: string | null;
            /** @description minor units of `currency` */
            price?: number | null;
            /** @description ISO 4217 */
            currency?: string | null;
            /**
             * @description default `negotiation`
             * @enum {string}
             */
            workflow_status?: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
        };
        /** @description Only the fields to change. A whole record may be sent back: what cannot be written is ignored and named in `X-Svc-Ignored-Fields`. */
        OrderPatchInput: {
            model_name?: string;
            quantity_pieces?: number;
            material_name?: string;
            color_hex?: string;
            /** @description grams of material, rounded to 3 decimals */
            material_grams?: number;
            /** @description hours, rounded to 3 decimals */
            print_hours?: number;
            /** Format: date */
            due_date?: string;
            order_notes?: string;
            /** @description a printer of this account; null: none */
            printer_id?: string | null;
            customer_name?: string | null;
            customer_contact?: string | null;
            /** @description minor units of `currency` */
            price?: number | null;
            /** @description ISO 4217 */
            currency?: string | null;
            /** @description one of negotiation, confirmed, assigned, printing, print_error, packing, delivery, done, cancelled, closed. Any other value, of whatever type, resets the order to `negotiation` without an error (see `X-Svc-Status-Reset`); send `Prefer: handling=strict` to have it refused */
            workflow_status?: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | unknown;
        };
        OrderHistoryEntry: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "created" | "status_changed" | "status_reset" | "consumption";
            /** Format: date-time */
            at: string;
            /** @description the name of the token that did it */
            actor: string;
            from_status: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            to_status: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            /** @description status_reset: the value received in place of a listed status */
            received: string | null;
            filament_id: string | null;
            /** @description consumption: what was used; negative when it was given back */
            grams: number | null;
            /** @description consumption: in the account's currency; null: not known */
            cost: number | null;
            /** @description of `cost`; null where there is none */
            cost_currency: string | null;
            /** @description `cost` where the account is in roubles, else null */
            cost_rub: number | null;
            note: string | null;
        };
        NewFilamentInput: {
            name: string;
            brand?: string;
            /** @description material type */
            type_name?: string;
            colors?: string[];
            is_gradient?: boolean;
            /** @description rounded to 3 decimals; 0 or null: never low */
            low_stock_threshold_grams?: number | null;
            /** @description weight of one spool, rounded to 3 decimals; default 1000 */
            spool_weight_grams?: number;
            /** @description spools of the first batch; 0 or absent: no batch yet */
            spool_count?: number;
            /** @description price of one spool in the account's currency, with no more decimals than it has; null: not known */
            spool_price?: number | null;
            /** @description the account's currency; any other is refused */
            spool_price_currency?: string;
            /** @description the same as `spool_price`, for accounts in roubles; refused in any other */
            spool_price_rub?: number | null;
            /**
             * Format: date-time
             * @description when the spools were received, which decides the order they are used in; default now
             */
            received_at?: string;
        };
        ConsumeRequestInput: {
            /** @description grams to deduct, rounded to 3 decimals */
            grams: number;
            use_weight?: unknown;
            /** @description the order it was used for: noted in its history with the cost */
            order_id?: string | null;
            printer_id?: string | null;
            note?: string | null;
            /** @description for callers that cannot set the Idempotency-Key header, which wins */
            idempotency_key?: string;
            /** @description deduct even if there isn't enough; default false */
            allow_overdraw?: boolean;
        } | {
            /** @description the same as `grams`, for clients that know it by this name; not both */
            use_weight: number;
            grams?: unknown;
            /** @description the order it was used for: noted in its history with the cost */
            order_id?: string | null;
            printer_id?: string | null;
            note?: string | null;
            /** @description for callers that cannot set the Idempotency-Key header, which wins */
            idempotency_key?: string;
            /** @description deduct even if there isn't enough; default false */
            allow_overdraw?: boolean;
        };
        FilamentBatch: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            received_at: string;
            spool_count: number;
            used_grams: number;
            remaining_grams: number;
            spool_price: number | null;
            spool_price_currency: string;
            spool_price_rub: number | null;
            /** @description more was used than it had */
            needs_review: boolean;
            archived_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        NewFilamentBatchInput: {
            /** @description price of one spool in the account's currency, with no more decimals than it has; null: not known */
            spool_price?: number | null;
            /** @description the account's currency; any other is refused */
            spool_price_currency?: string;
            /** @description the same as `spool_price`, for accounts in roubles; refused in any other */
            spool_price_rub?: number | null;
            /**
             * Format: date-time
             * @description when the spools were received, which decides the order they are used in; default now
             */
            received_at?: string;
            spool_count: number;
        };
        FilamentLedgerEntry: {
            /** Format: uuid */
            id: string;
            /**
             * @description adjustment: a stocktake found more or less than expected; undo: the opposite of another entry
             * @enum {string}
             */
            kind: "receipt" | "consumption" | "adjustment" | "undo";
            /** Format: uuid */
            batch_id: string;
            /** @description entries made together, and undone together */
            booking_id: string | null;
            /** @description undo: the line it takes back */
            undoes_id: string | null;
            /** @description the line that took this one back */
            undone_by_id: string | null;
            /** @description what the batch gained is positive, what it lost negative; all lines add up to what remains */
            grams: number;
            /** @description what was received or lost is worth so much, negative where it was given back; null: not known */
            cost: number | null;
            /** @description the account's currency */
            cost_currency: string;
            /** @description `cost` where the account is in roubles, else null */
            cost_rub: number | null;
            order_id: string | null;
            printer_id: string | null;
            note: string | null;
            /** @description more was taken than the batch had */
            overdraw: boolean;
            /** @description of a consumption: `report` by the rule of a printer, `request` any other; null: not known */
            source: ("report" | "request") | null;
            /** @description deducted for the same order within 24 hours from the other `source` and not undone, perhaps for the same print; null: nothing */
            also_deducted_grams: number | null;
            /** @description adjustment: what the stocktake counted; null: not known */
            counted_grams: number | null;
            /** @description the newest stocktake after this entry that counted its batch: an undo changes what it counted */
            later_stocktake: {
                /** Format: uuid */
                entry_id: string;
                /** Format: date-time */
                at: string;
                /** @description null: not known */
                counted_grams: number | null;
                /** @description the one batch that was counted; null: all of them together */
                batch_id: string | null;
            } | null;
            /** @description the name of the token that did it */
            actor: string;
            /** Format: date-time */
            at: string;
        };
        Printer: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description the label used within the farm */
            internal_name: string;
            model: string;
            technology: string;
            /** @description the farm group; null: in none */
            group_id: string | null;
            group_name: string | null;
            is_favorite: boolean;
            sort_order: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        PrinterGroup: {
            /** Format: uuid */
            id: string;
            name: string;
            sort_order: number;
            printer_count: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        WebhookSubscription: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description of a chat format only the host: its path is a secret */
            url: string;
            /** @enum {string} */
            format: "signed" | "slack" | "discord";
            events: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            enabled: boolean;
            /** @description as chosen when it was created; absent if none was */
            client_key?: string;
            /**
             * @description failing: the last attempt failed
             * @enum {string}
             */
            health: "ok" | "failing";
            /** @description failed attempts since the last one that succeeded */
            consecutive_failures: number;
            last_success_at: string | null;
            /** @description why the last attempt failed; null if it succeeded */
            last_error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        NewWebhookSubscriptionInput: {
            /** @description http or https, without user name and password */
            url: string;
            events: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            /**
             * @default signed
             * @enum {string}
             */
            format: "signed" | "slack" | "discord";
            /** @description default: the host of the URL */
            name?: string;
            /** @default true */
            enabled: boolean;
            /** @description your own name for the channel, unique in the account: creating it again within 30 days of its deletion continues it */
            client_key?: string;
        };
        CreatedWebhookSubscription: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description of a chat format only the host: its path is a secret */
            url: string;
            /** @enum {string} */
            format: "signed" | "slack" | "discord";
            events: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            enabled: boolean;
            /** @description as chosen when it was created; absent if none was */
            client_key?: string;
            /**
             * @description failing: the last attempt failed
             * @enum {string}
             */
            health: "ok" | "failing";
            /** @description failed attempts since the last one that succeeded */
            consecutive_failures: number;
            last_success_at: string | null;
            /** @description why the last attempt failed; null if it succeeded */
            last_error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description the HMAC key of a signed channel: in this answer and never again */
            secret?: string;
        };
        /** @description Only the fields to change. */
        WebhookSubscriptionPatchInput: {
            events?: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            /** @description http or https, without user name and password */
            url?: string;
            name?: string;
            enabled?: boolean;
        };
        DeliveryAttempt: {
            /**
             * Format: uuid
             * @description as sent in X-Svc-Delivery
             */
            id: string;
            /** @enum {string} */
            event: "order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid" | "webhook.test";
            /** @enum {string} */
            status: "succeeded" | "failed";
            response_status: number | null;
            error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            /** Format: date-time */
            attempted_at: string;
            duration_ms: number;
            /** @description as sent in X-Svc-Sequence */
            sequence: number;
        };
        SequencedEvent: {
            sequence: number;
            /** Format: uuid */
            delivery_id: string;
            /** @enum {string} */
            status: "sending" | "succeeded" | "failed";
            error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            event: components["schemas"]["EventEnvelope"];
        };
        EventEnvelope: {
            /** @constant */
            event: "order.created";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["OrderEventData"];
        } | {
            /** @constant */
            event: "order.status_changed";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["OrderEventData"];
        } | {
            /** @constant */
            event: "printer.print_finished";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["PrintReportData"];
        } | {
            /** @constant */
            event: "printer.print_failed";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["PrintReportData"];
        } | {
            /** @constant */
            event: "filament.low_stock";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["LowStockData"];
        } | {
            /** @constant */
            event: "lead.created";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["LeadData"];
        } | {
            /** @constant */
            event: "invoice.paid";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["InvoicePaidData"];
        } | {
            /** @constant */
            event: "webhook.test";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["TestData"];
        };
        OrderEventData: {
            /** Format: uuid */
            id: string;
            model_name: string;
            quantity_pieces: number;
            material_name: string;
            color_hex: string;
            material_grams: number;
            print_hours: number;
            /** Format: date */
            due_date: string;
            order_notes: string;
            /** @enum {string} */
            workflow_status: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
            printer_id: string | null;
            printer_name: string | null;
        };
        PrintReportData: {
            /** Format: uuid */
            printer_id: string;
            printer_name: string;
            filename: string;
            /** Format: date-time */
            at: string;
        };
        LowStockData: {
            /** Format: uuid */
            filament_id: string;
            name: string;
            remaining_grams: number;
            threshold_grams: number;
        };
        LeadData: {
            /** Format: uuid */
            lead_id: string;
            description: string;
            contact: string;
            client_email: string;
            budget: string;
            deadline: string;
            has_file: boolean;
            /** Format: date-time */
            created_at: string;
        };
        InvoicePaidData: {
            /** Format: uuid */
            document_id: string;
            number: string;
            amount: number;
            /** Format: date-time */
            paid_at: string;
            order_ids: string[];
            needs_review: boolean;
        };
        TestData: {
            /** Format: uuid */
            subscription_id: string;
            message: string;
        };
        LoggedEvent: {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "order.created";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["OrderEventData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "order.status_changed";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["OrderEventData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "printer.print_finished";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["PrintReportData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "printer.print_failed";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["PrintReportData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "filament.low_stock";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["LowStockData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "lead.created";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["LeadData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "invoice.paid";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["InvoicePaidData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "webhook.test";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["TestData"];
        };
        Lead: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            state: "new" | "answered" | "archived";
            description: string;
            /** @description empty where nothing was given, as all texts */
            contact: string;
            client_email: string;
            budget: string;
            deadline: string;
            file: {
                name: string;
                /** @description by its content: `stl`, `pdf` */
                kind: string;
                bytes: number;
            } | null;
            /** @description the order it was turned into, while there is one */
            order_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Invoice: {
            /** Format: uuid */
            id: string;
            /** @description year and number, without gaps; null while it is a draft */
            number: string | null;
            /** @enum {string} */
            status: "draft" | "issued" | "paid" | "void";
            customer_name: string;
            currency: string;
            /** @description minor units of `currency`, as all amounts here */
            total: number;
            /** @description payments less refunds */
            received: number;
            /** @description what is to be paid now */
            amount_due: number;
            issue_date: string | null;
            due_date: string | null;
            order_ids: string[];
            /** @description a payment of it waits for a person */
            needs_review: boolean;
            issued_at: string | null;
            paid_at: string | null;
            voided_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        InvoiceDetail: {
            /** Format: uuid */
            id: string;
            /** @description year and number, without gaps; null while it is a draft */
            number: string | null;
            /** @enum {string} */
            status: "draft" | "issued" | "paid" | "void";
            customer_name: string;
            currency: string;
            /** @description minor units of `currency`, as all amounts here */
            total: number;
            /** @description payments less refunds */
            received: number;
            /** @description what is to be paid now */
            amount_due: number;
            issue_date: string | null;
            due_date: string | null;
            order_ids: string[];
            /** @description a payment of it waits for a person */
            needs_review: boolean;
            issued_at: string | null;
            paid_at: string | null;
            voided_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            customer_details: string;
            /** @enum {string} */
            language: "en" | "ru";
            note: string;
            lines: components["schemas"]["InvoiceLine"][];
            /** @description newest first */
            payments: components["schemas"]["InvoicePayment"][];
            /** @description what the customer is given; null while it is a draft, and if `SECRET_KEY` was lost */
            pay_url: string | null;
            /** @description of the document as it was frozen at issue */
            document_sha256: string | null;
        };
        InvoiceLine: {
            order_id: string | null;
            description: string;
            quantity: number;
            unit_price: number;
            amount: number;
        };
        InvoicePayment: {
            /** Format: uuid */
            id: string;
            /** @description null: it belongs to no invoice that is known */
            invoice_id: string | null;
            /**
             * @description manual: entered by the owner
             * @enum {string}
             */
            source: "stripe" | "notice" | "manual";
            /** @enum {string} */
            kind: "payment" | "refund";
            amount: number;
            currency: string;
            /** Format: date-time */
            at: string;
            payer: string | null;
            note: string | null;
            /** @description what the provider named, where it is no invoice of the account */
            named_invoice: string | null;
            /** @description the provider’s own id */
            payment_id: string | null;
            needs_review: boolean;
            reason: ("already_paid" | "amount_differs" | "currency_differs" | "invoice_void" | "unknown_invoice" | "refund_exceeds" | "disputed" | "refund_failed" | "dispute_won") | null;
            reviewed_at: string | null;
        };
        Me: {
            account_id: string;
            account_name: string;
            email: string;
            token_name: string;
            /** @description ISO 8601; null: never */
            token_expires_at: string | null;
        };
        Summary: {
            orders_negotiation: number;
            orders_confirmed: number;
            orders_assigned: number;
            orders_printing: number;
            orders_print_error: number;
            orders_packing: number;
            orders_delivery: number;
            orders_done: number;
            orders_cancelled: number;
            orders_closed: number;
            /** @description open orders past their due date */
            orders_overdue: number;
            orders_due_today: number;
            /** @description orders whose last status was invalid */
            orders_status_reset: number;
            filaments: number;
            /** @description at or below their low-stock threshold */
            filaments_low: number;
            printers: number;
            printer_groups: number;
        };
        FoundOrders: {
            /** @description of every status, in no order */
            ids: string[];
        };
        NewPrinterInput: {
            name: string;
            /** @description the label used within the farm */
            internal_name?: string;
            model: string;
            technology?: string;
            /** @description the farm group; null: in none */
            group_id?: string | null;
            is_favorite?: boolean;
            /** @description smaller comes first */
            sort_order?: number;
        };
        PrinterPatchInput: {
            name?: string;
            /** @description the label used within the farm */
            internal_name?: string;
            model?: string;
            technology?: string;
            /** @description the farm group; null: in none */
            group_id?: string | null;
            is_favorite?: boolean;
            /** @description smaller comes first */
            sort_order?: number;
        };
        PrinterOrderInput: {
            /** @description the farm group in which they stand from now on; null: in none */
            group_id: string | null;
            /** @description printers, first to last */
            ids: string[];
        };
        PrinterGroupOrderInput: {
            /** @description printer groups, first to last */
            ids: string[];
        };
        NewPrinterGroupInput: {
            name: string;
            /** @description smaller comes first */
            sort_order?: number;
        };
        PrinterGroupPatchInput: {
            name?: string;
            /** @description smaller comes first */
            sort_order?: number;
        };
        Agent: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description null: it is of a group */
            printer_id: string | null;
            /** @description null: it is of a printer */
            printer_group_id: string | null;
            /** @description the last four characters of its token */
            hint: string;
            /** @description reports without a signature are refused */
            signed_only: boolean;
            /** Format: date-time */
            created_at: string;
            last_used_at: string | null;
        };
        /** @description Of a printer or of a group: exactly one of the two. */
        NewAgentInput: {
            name: string;
            /** Format: uuid */
            printer_id?: string;
            /** Format: uuid */
            printer_group_id?: string;
            /** @description refuse reports without a signature; default false */
            signed_only?: boolean;
        };
        CreatedAgent: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description null: it is of a group */
            printer_id: string | null;
            /** @description null: it is of a printer */
            printer_group_id: string | null;
            /** @description the last four characters of its token */
            hint: string;
            /** @description reports without a signature are refused */
            signed_only: boolean;
            /** Format: date-time */
            created_at: string;
            last_used_at: string | null;
            /** @description shown only once */
            token: string;
        };
        PrintReport: {
            /** Format: uuid */
            id: string;
            event_id: string;
            /** Format: uuid */
            printer_id: string;
            printer_name: string;
            filename: string;
            /** @enum {string} */
            outcome: "finished" | "failed" | "cancelled";
            /** Format: date-time */
            at: string;
            grams: number | null;
            /** @description what was received instead of grams, if it can’t be read as a plausible number */
            grams_text: string | null;
            reason: string | null;
            /**
             * @description by which route it came
             * @enum {string}
             */
            source: "report" | "octoprint" | "apprise";
            agent_name: string;
            /** @description the order it was for, as far as that is known */
            order_id: string | null;
            order_name: string | null;
            filament_id: string | null;
            filament_name: string | null;
            /** @description taken from the filament; null: nothing was */
            booked_grams: number | null;
            /** @description where the order was moved to; null: it was left alone */
            moved_to: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            /** @description why a rule was not carried out, and what is missing or doubtful: `unknown_order`: the file name has the label of an order that is not in this account; `several_orders`: the file name has the labels of several orders; `no_order`: no order is named, and there is not exactly one that is being printed on this printer; `order_moved_on`: the order was packed, delivered, done, cancelled or closed already, and was left so; `no_filament`: no filament is named, and none is loaded on this printer; `no_stock`: the filament has no batch that could be taken from; `no_grams`: the report says no grams; `unreadable_grams`: what the message says about its grams could not be read, or has more than one meaning; see `grams_text`; `implausible_grams`: that is more than any print takes, or not a weight, so nothing was deducted; deduct by hand what is right; `no_file`: the message names no file, and none that does came within ten seconds */
            notes: ("unknown_order" | "several_orders" | "no_order" | "order_moved_on" | "no_filament" | "no_stock" | "no_grams" | "unreadable_grams" | "implausible_grams" | "no_file")[];
            /** @description a failure that may be a cancelled print, or a print without a file name: it is told of then, unless another message about the print comes before */
            held_until: string | null;
            /** Format: date-time */
            received_at: string;
        };
        RefusedReportCounts: {
            items: {
                /** Format: uuid */
                printer_id: string;
                refused: number;
            }[];
        };
        RefusedReport: {
            /** Format: uuid */
            id: string;
            /** @description null: the agent of its group sent it without saying which printer it is from */
            printer_id: string | null;
            /** @enum {string} */
            source: "report" | "octoprint" | "apprise";
            agent_name: string;
            event_id: string | null;
            filename: string | null;
            /** @enum {string} */
            code: "malformed_json" | "json_too_deep" | "malformed_request" | "unauthorized" | "cross_site" | "password_required" | "not_found" | "method_not_allowed" | "insufficient_stock" | "invoice_state" | "idempotency_conflict" | "client_key_in_use" | "version_conflict" | "precondition_failed" | "body_too_large" | "unsupported_media_type" | "validation_error" | "unknown_workflow_status" | "unknown_event" | "channel_limit_reached" | "blocked_address" | "rate_limited" | "internal_error" | "unavailable";
            /** @description why it was refused the last time */
            reason: string;
            /** @description false: it could not be read, is too long, or its event_id belongs to another report */
            can_retry: boolean;
            /** @description how often the same was sent */
            received_count: number;
            /** Format: date-time */
            received_at: string;
            /** Format: date-time */
            last_received_at: string;
        };
        PrinterRules: {
            /** @description book reported grams */
            book_grams: boolean;
            /** @description on this filament, unless the report names one */
            loaded_filament_id: string | null;
            /** @description where the order of a finished print goes; null: it is left alone */
            on_finished: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            on_failed: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            on_cancelled: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
        };
        PrinterRulesPatchInput: {
            /** @description book reported grams */
            book_grams?: boolean;
            /** @description on this filament, unless the report names one */
            loaded_filament_id?: string | null;
            /** @description where the order of a finished print goes; null: it is left alone */
            on_finished?: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            on_failed?: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            on_cancelled?: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
        };
        LeadCounts: {
            new: number;
            answered: number;
            archived: number;
        };
        LeadPatchInput: {
            /** @enum {string} */
            state: "new" | "answered" | "archived";
        };
        OrderFromLeadInput: {
            /**
             * @description of the words in the notes of the order
             * @default en
             * @enum {string}
             */
            language: "en" | "ru";
        };
        Profile: {
            /** @description empty until the profile is saved */
            slug: string;
            /** @description off until the owner switches it on */
            is_public: boolean;
            headline: string;
            about: string;
            materials: string[];
            contact: string;
            /** @description in the order they are shown */
            photos: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ProfilePatchInput: {
            /** @description the name in the address: /masters/{slug} */
            slug?: string;
            /** @description off until the owner switches it on */
            is_public?: boolean;
            headline?: string;
            about?: string;
            materials?: string[];
            contact?: string;
        };
        PhotoOrderInput: {
            ids: string[];
        };
        NewInvoiceInput: {
            customer_name?: string;
            /** @description address, tax number, contact; several lines */
            customer_details?: string;
            /**
             * @description of the document
             * @enum {string}
             */
            language?: "en" | "ru";
            note?: string;
            /** @description ISO 4217 */
            currency?: string;
            due_date?: string | null;
            lines?: {
                order_id?: string | null;
                description: string;
                /** @description pieces */
                quantity: number;
                /** @description minor units of `currency`; below zero: a discount */
                unit_price: number;
            }[];
            /** @description orders of one customer and currency: each becomes a line, unless `lines` are sent */
            order_ids?: string[];
        };
        InvoicePatchInput: {
            customer_name?: string;
            /** @description address, tax number, contact; several lines */
            customer_details?: string;
            /**
             * @description of the document
             * @enum {string}
             */
            language?: "en" | "ru";
            note?: string;
            /** @description ISO 4217 */
            currency?: string;
            due_date?: string | null;
            lines?: {
                order_id?: string | null;
                description: string;
                /** @description pieces */
                quantity: number;
                /** @description minor units of `currency`; below zero: a discount */
                unit_price: number;
            }[];
        };
        InvoiceIssueInput: {
            /**
             * Format: date
             * @description today where the seller is; default: today in UTC
             */
            issue_date?: string;
        };
        NewManualPaymentInput: {
            /** @enum {string} */
            kind: "payment" | "refund";
            /** @description minor units of the invoice’s currency */
            amount: number;
            /**
             * Format: date-time
             * @description default: now
             */
            at?: string;
            note?: string;
        };
        InvoiceSeller: {
            name: string;
            address: string;
            tax_id: string;
            bank_details: string;
            /** @description how one may pay, and what is to be said with it */
            payment_note: string;
            /** @description ISO 4217 */
            default_currency: string;
        };
        InvoiceSellerPatchInput: {
            name?: string;
            address?: string;
            tax_id?: string;
            bank_details?: string;
            /** @description how one may pay, and what is to be said with it */
            payment_note?: string;
            /** @description ISO 4217 */
            default_currency?: string;
        };
        PaymentProvider: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "stripe" | "notice";
            name: string;
            /** @description off: it is not offered on pay pages; what it reports is still recorded */
            enabled: boolean;
            /** @description Stripe’s test mode: no money moves */
            is_test: boolean;
            /** @description its reports can be checked; before that it is not offered on pay pages */
            is_ready: boolean;
            /** @description where its reports go */
            notice_url: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description of signed notices, in this answer only */
            secret?: string;
        };
        NewPaymentProviderInput: {
            name?: string;
            enabled?: boolean;
            /** @description of Stripe */
            secret_key?: string;
            /** @description of Stripe, which gives it once it knows `notice_url` */
            webhook_secret?: string;
            /** @enum {string} */
            kind: "stripe" | "notice";
        };
        PaymentProviderPatchInput: {
            name?: string;
            enabled?: boolean;
            /** @description of Stripe */
            secret_key?: string;
            /** @description of Stripe, which gives it once it knows `notice_url` */
            webhook_secret?: string;
        };
        AccountSettings: {
            /** @description ISO 4217: the currency of prices and costs */
            currency: string;
            /** @description true once a price is stored; the currency can no longer change */
            is_currency_fixed: boolean;
        };
        AccountPatchInput: {
            /** @description ISO 4217 */
            currency: string;
        };
        SessionEntry: {
            /** Format: uuid */
            id: string;
            is_this_one: boolean;
            user_agent: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string;
        };
        PasswordChangeInput: {
            current_password: string;
            new_password: string;
        };
        PasswordCheckInput: {
            password: string;
        };
        AccessToken: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description its last 4 characters */
            hint: string;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            last_used_at: string | null;
        };
        NewAccessTokenInput: {
            name: string;
            /** @description null: never expires; default 365 */
            days?: number | null;
        };
        EventLogEntry: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            event: "order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid" | "webhook.test";
            /** @description what it is about, `order:<id>`: events of one subject leave in their order */
            subject: string;
            /** Format: date-time */
            occurred_at: string;
            /** @description the JSON envelope, byte for byte as a signed channel gets it */
            body: string;
            deliveries: components["schemas"]["LoggedDelivery"][];
        };
        LoggedDelivery: {
            /** @description as sent in X-Svc-Delivery; null while it waits */
            id: string | null;
            /** Format: uuid */
            channel_id: string;
            channel_name: string;
            /** @enum {string} */
            status: "pending" | "sending" | "succeeded" | "failed";
            response_status: number | null;
            error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            attempted_at: string | null;
            duration_ms: number | null;
            /** @description as sent in X-Svc-Sequence */
            sequence: number | null;
        };
        SentRequest: {
            headers: {
                [key: string]: string;
            };
            body: string;
            /**
             * @description unknown: the channel was changed since, so its secret may be another; none: a chat format has none
             * @enum {string}
             */
            signature: "shown" | "unknown" | "none";
        };
        SampleState: {
            /** @description there is sample data that can be taken away */
            has_sample: boolean;
            /** @description there is nothing in the account: it may be filled */
            is_empty: boolean;
        };
        Figures: {
            /**
             * Format: date
             * @description the first day
             */
            since: string;
            /**
             * Format: date
             * @description the last day
             */
            today: string;
            /** @description open orders due today or before, the oldest 12 */
            due: {
                /** @description open orders that were due before today */
                overdue: number;
                today: number;
                orders: {
                    /** Format: uuid */
                    id: string;
                    model_name: string;
                    color_hex: string;
                    quantity_pieces: number;
                    /** Format: date */
                    due_date: string;
                    /** @enum {string} */
                    workflow_status: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
                    printer_name: string | null;
                }[];
            };
            /** @description every status, now */
            orders_by_status: {
                /** @enum {string} */
                workflow_status: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
                orders: number;
            }[];
            /** @description every day, oldest first; orders that were deleted since are not counted */
            days: {
                /** Format: date */
                day: string;
                created: number;
                /** @description orders that became done, each once a day */
                done: number;
                /** @description how often an order went to print_error */
                print_error: number;
            }[];
            /** @description of these days, by the printer the order is on now; the 12 with the most */
            failures: {
                printer_id: string | null;
                printer_name: string | null;
                failures: number;
            }[];
            /** @description prints that ended in these days, as printers reported them; the 12 printers with the most failures */
            prints: {
                /** Format: uuid */
                printer_id: string;
                printer_name: string;
                finished: number;
                failed: number;
                cancelled: number;
            }[];
            /** @description taken from stock in these days; the 12 most used */
            materials: {
                type_name: string;
                grams: number;
            }[];
            /** @description enabled channels whose latest attempt failed */
            failing_channels: {
                /** Format: uuid */
                id: string;
                name: string;
                url: string;
                error: string | null;
                response_status: number | null;
                /** Format: date-time */
                attempted_at: string;
            }[];
        };
        PrinterFigures: {
            items: {
                /** @description null: orders without a printer */
                printer_id: string | null;
                open: {
                    /** @enum {string} */
                    workflow_status: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
                    orders: number;
                }[];
                /** @description what is due first; at most 3 */
                printing: {
                    /** Format: uuid */
                    id: string;
                    model_name: string;
                    color_hex: string;
                    quantity_pieces: number;
                    /** Format: date */
                    due_date: string;
                }[];
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CredentialsInput"];
            };
        };
        responses: {
            /** @description Signed in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    setUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetUpInput"];
            };
        };
        responses: {
            /** @description Created and signed in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    signUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOwnerInput"];
            };
        };
        responses: {
            /** @description Created and signed in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    getFilamentUsage: {
        parameters: {
            query?: {
                /** @description so many days, today in UTC is the last */
                days?: "30" | "90" | "365";
                /** @description of this one alone */
                filament_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Usage, most used first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilamentUsage"];
                };
            };
        };
    };
    getFilament: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The filament */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Filament"];
                };
            };
        };
    };
    updateFilament: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FilamentPatchInput"];
            };
        };
        responses: {
            /** @description The updated filament */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Filament"];
                };
            };
        };
    };
    deleteFilament: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    undoFilamentLedgerEntry: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                entry_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoRequestInput"];
            };
        };
        responses: {
            /** @description The updated filament */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Filament"];
                };
            };
        };
    };
    takeStockOfFilament: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StockTakeInput"];
            };
        };
        responses: {
            /** @description The updated filament */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Filament"];
                };
            };
        };
    };
    getOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description an ETag; 304 if the order is still that version */
                "If-None-Match"?: string;
            };
            path: {
                /** @description the id, or the text of the label: `ORDER-<id>` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
        };
    };
    updateOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version you are changing; 412 if the order has changed since */
                "If-Match"?: string;
                /** @description `handling=strict`: an unknown `workflow_status` is rejected with 422 and nothing is changed */
                Prefer?: string;
            };
            path: {
                /** @description the id, or the text of the label: `ORDER-<id>` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderPatchInput"];
            };
        };
        responses: {
            /** @description The updated order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
        };
    };
    deleteOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version you are changing; 412 if the order has changed since */
                "If-Match"?: string;
            };
            path: {
                /** @description the id, or the text of the label: `ORDER-<id>` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
                /** @description where the next page begins, from the `Link` header of a page; only without `page` */
                cursor?: string;
                /** @description may be repeated; `closed` orders are hidden unless asked for */
                workflow_status?: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed")[];
                include_closed?: "true" | "false";
                printer_id?: string;
                /** @description due earlier than this day */
                due_before?: string;
                /** @description due later than this day */
                due_after?: string;
                /** @description changed at this time or later: what to reconcile after missed events */
                updated_since?: string;
                /** @description words in the model, the notes or the customer, all of them in any order, a number as part of the word before it; or an ID, whole, as on a label, or its last 8 characters */
                q?: string;
                /** @description `-`: descending */
                sort?: "-created_at" | "created_at" | "-updated_at" | "updated_at" | "-due_date" | "due_date";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of orders */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Order"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    createOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOrderInput"];
            };
        };
        responses: {
            /** @description The new order */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
        };
    };
    getOrderHistory: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
                /** @description where the next page begins, from the `Link` header of a page; only without `page` */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description the id, or the text of the label: `ORDER-<id>` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of its history */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["OrderHistoryEntry"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    listFilaments: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
                /** @description only those at or below their threshold, or only the others */
                low_stock?: "true" | "false";
                /** @description words in the name, the brand or the type, all of them in any order, a number as part of the word before it */
                q?: string;
                /** @description `-`: descending */
                sort?: "-created_at" | "created_at" | "-updated_at" | "updated_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of filaments */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Filament"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    createFilament: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFilamentInput"];
            };
        };
        responses: {
            /** @description The new filament */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Filament"];
                };
            };
        };
    };
    consumeFilament: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsumeRequestInput"];
            };
        };
        responses: {
            /** @description The updated filament */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Filament"];
                };
            };
        };
    };
    listFilamentBatches: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of its batches */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["FilamentBatch"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    addFilamentBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFilamentBatchInput"];
            };
        };
        responses: {
            /** @description The new batch */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilamentBatch"];
                };
            };
        };
    };
    getFilamentBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The batch */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilamentBatch"];
                };
            };
        };
    };
    getFilamentLedger: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
                /** @description where the next page begins, from the `Link` header of a page; only without `page` */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of its ledger */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["FilamentLedgerEntry"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    listPrinters: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
                /** @description only the printers of this group */
                group_id?: string;
                /** @description `-`: descending */
                sort?: "-created_at" | "created_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of printers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Printer"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    createPrinter: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPrinterInput"];
            };
        };
        responses: {
            /** @description The new printer */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Printer"];
                };
            };
        };
    };
    getPrinter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The printer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Printer"];
                };
            };
        };
    };
    updatePrinter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrinterPatchInput"];
            };
        };
        responses: {
            /** @description The updated printer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Printer"];
                };
            };
        };
    };
    deletePrinter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listPrinterGroups: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
                /** @description `-`: descending */
                sort?: "-created_at" | "created_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of printer groups */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["PrinterGroup"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    createPrinterGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPrinterGroupInput"];
            };
        };
        responses: {
            /** @description The new printer group */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrinterGroup"];
                };
            };
        };
    };
    getPrinterGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The printer group */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrinterGroup"];
                };
            };
        };
    };
    updatePrinterGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrinterGroupPatchInput"];
            };
        };
        responses: {
            /** @description The updated printer group */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrinterGroup"];
                };
            };
        };
    };
    deletePrinterGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listWebhookSubscriptions: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channels, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["WebhookSubscription"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    createWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWebhookSubscriptionInput"];
            };
        };
        responses: {
            /** @description The new channel */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhookSubscription"];
                };
            };
        };
    };
    getWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channel */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    updateWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookSubscriptionPatchInput"];
            };
        };
        responses: {
            /** @description The updated channel */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    deleteWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    recreateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channel with its new secret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhookSubscription"];
                };
            };
        };
    };
    testWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempt */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryAttempt"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["DeliveryAttempt"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    resendWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new attempt */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryAttempt"];
                };
            };
        };
    };
    listWebhookSequence: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
                /** @description where the next page begins, from the `Link` header of a page; only without `page` */
                cursor?: string;
                /** @description the last X-Svc-Sequence you have */
                after?: string;
                /** @description only events of this name */
                event?: "order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid" | "webhook.test";
                /** @description only events that occurred at this time or later */
                occurred_since?: string;
                /** @description only events that never arrived: each once, with its last attempt, for which it can be sent again */
                missed?: "true" | "false";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["SequencedEvent"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
                /** @description where the next page begins, from the `Link` header of a page; only without `page` */
                cursor?: string;
                /** @description only events of this name */
                event?: "order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid" | "webhook.test";
                /** @description only events that occurred at this time or later */
                occurred_since?: string;
                /** @description newest first unless `occurred_at` */
                sort?: "-occurred_at" | "occurred_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["LoggedEvent"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    listLeads: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
                /** @description newest first unless `created_at` */
                sort?: "-created_at" | "created_at";
                state?: "new" | "answered" | "archived";
                /** @description the request that this order was made from */
                order_id?: string;
                /** @description words in any field, all of them in any order, a number as part of the word before it */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of requests */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Lead"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    getLead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lead"];
                };
            };
        };
    };
    updateLead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeadPatchInput"];
            };
        };
        responses: {
            /** @description The updated request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lead"];
                };
            };
        };
    };
    deleteLead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listInvoices: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
                /** @description `issued`: not paid yet; `review`: with a payment that waits for a person */
                status?: "draft" | "issued" | "paid" | "void" | "review";
                /** @description only invoices of this order */
                order_id?: string;
                /** @description words in the number, the customer or the note, all of them in any order, a number as part of the word before it */
                q?: string;
                /** @description `-`: descending */
                sort?: "-created_at" | "created_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of invoices */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Invoice"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    createInvoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewInvoiceInput"];
            };
        };
        responses: {
            /** @description The draft */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceDetail"];
                };
            };
        };
    };
    getInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invoice */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceDetail"];
                };
            };
        };
    };
    updateInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvoicePatchInput"];
            };
        };
        responses: {
            /** @description The draft */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceDetail"];
                };
            };
        };
    };
    deleteInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account of the token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    getSummary: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The summary */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Summary"];
                };
            };
        };
    };
    findOrders: {
        parameters: {
            query: {
                /** @description words in the model, the notes or the customer, all of them in any order, a number as part of the word before it; or an ID, whole, as on a label, or its last 8 characters */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The IDs of the orders */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundOrders"];
                };
            };
        };
    };
    placePrinters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrinterOrderInput"];
            };
        };
        responses: {
            /** @description Reordered */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    placePrinterGroups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrinterGroupOrderInput"];
            };
        };
        responses: {
            /** @description Reordered */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listAgents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agents */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Agent"][];
                    };
                };
            };
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAgentInput"];
            };
        };
        responses: {
            /** @description The agent with its token */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedAgent"];
                };
            };
        };
    };
    revokeAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listLastPrintReports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reports */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["PrintReport"][];
                    };
                };
            };
        };
    };
    listPrintReports: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of reports */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["PrintReport"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    countRefusedReports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefusedReportCounts"];
                };
            };
        };
    };
    listRefusedReports: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The refused reports */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["RefusedReport"][];
                    };
                };
            };
        };
    };
    retryRefusedReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                refused_report_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report of this print that was stored before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrintReport"];
                };
            };
            /** @description Stored now */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrintReport"];
                };
            };
        };
    };
    dismissRefusedReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                refused_report_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Dismissed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getPrinterRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its rules */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrinterRules"];
                };
            };
        };
    };
    updatePrinterRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrinterRulesPatchInput"];
            };
        };
        responses: {
            /** @description Its rules from now on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrinterRules"];
                };
            };
        };
    };
    countLeads: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The summary */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadCounts"];
                };
            };
        };
    };
    turnLeadIntoOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderFromLeadInput"];
            };
        };
        responses: {
            /** @description The order already exists */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lead"];
                };
            };
            /** @description The request, with the new order */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lead"];
                };
            };
        };
    };
    downloadLeadFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The original file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfilePatchInput"];
            };
        };
        responses: {
            /** @description The updated profile */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
        };
    };
    previewProfile: {
        parameters: {
            query?: {
                lang?: "en" | "ru";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    addPhoto: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description a PNG, JPEG or WebP of at most 2 MB */
        requestBody: {
            content: {
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description The profile with the photo */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
        };
    };
    placePhotos: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PhotoOrderInput"];
            };
        };
        responses: {
            /** @description The updated profile */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
        };
    };
    getPhoto: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": unknown;
                    "image/jpeg": unknown;
                    "image/webp": unknown;
                };
            };
        };
    };
    removePhoto: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile without it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
        };
    };
    issueInvoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvoiceIssueInput"];
            };
        };
        responses: {
            /** @description The invoice */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceDetail"];
                };
            };
        };
    };
    voidInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invoice */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceDetail"];
                };
            };
        };
    };
    recordPayment: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewManualPaymentInput"];
            };
        };
        responses: {
            /** @description The invoice */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceDetail"];
                };
            };
        };
    };
    listPayments: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
                /** @description only those that belong to no invoice */
                unassigned?: "true" | "false";
                /** @description only those that wait for a person */
                waiting?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of payments */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["InvoicePayment"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    reviewPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The payment */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoicePayment"];
                };
            };
        };
    };
    getSeller: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The seller */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceSeller"];
                };
            };
        };
    };
    updateSeller: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvoiceSellerPatchInput"];
            };
        };
        responses: {
            /** @description The seller */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceSeller"];
                };
            };
        };
    };
    listPaymentProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["PaymentProvider"][];
                        total: number;
                    };
                };
            };
        };
    };
    createPaymentProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPaymentProviderInput"];
            };
        };
        responses: {
            /** @description The provider */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentProvider"];
                };
            };
        };
    };
    updatePaymentProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentProviderPatchInput"];
            };
        };
        responses: {
            /** @description The provider */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentProvider"];
                };
            };
        };
    };
    deletePaymentProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    renewNoticeSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The provider */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentProvider"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountSettings"];
                };
            };
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountPatchInput"];
            };
        };
        responses: {
            /** @description The settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountSettings"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["SessionEntry"][];
                    };
                };
            };
        };
    };
    signOutElsewhere: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChangeInput"];
            };
        };
        responses: {
            /** @description Changed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    checkPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordCheckInput"];
            };
        };
        responses: {
            /** @description The password is right; the session has a new cookie */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tokens */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["AccessToken"][];
                    };
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAccessTokenInput"];
            };
        };
        responses: {
            /** @description The token */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string;
                    };
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listEventLog: {
        parameters: {
            query?: {
                /** @description a whole number from 1 to 999999999 */
                page?: string;
                /** @description a whole number from 1 to 200 */
                per_page?: string;
                /** @description only events of this name */
                event?: "order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid" | "webhook.test";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["EventLogEntry"][];
                        total: number;
                        page: number;
                        per_page: number;
                    };
                };
            };
        };
    };
    getSentRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentRequest"];
                };
            };
        };
    };
    listen: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @enum {string} */
                        kind: "order" | "filament" | "printer" | "channel" | "event" | "delivery" | "report" | "lead" | "invoice";
                        id: string;
                        /** @constant */
                        gone?: true;
                    };
                };
            };
        };
    };
    getSampleData: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SampleState"];
                };
            };
        };
    };
    fillWithSampleData: {
        parameters: {
            query?: {
                /** @description of its texts */
                language?: "en" | "ru";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Filled */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SampleState"];
                };
            };
        };
    };
    removeSampleData: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getFigures: {
        parameters: {
            query?: {
                /** @description number of days, including today */
                days?: "7" | "30" | "90";
                /** @description IANA time zone that defines the calendar days */
                time_zone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Figures"];
                };
            };
        };
    };
    getPrinterFigures: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrinterFigures"];
                };
            };
        };
    };
}
