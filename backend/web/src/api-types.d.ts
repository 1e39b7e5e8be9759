// Made by `npm run api-types` from the OpenAPI document of /console/api. Not edited by hand.
export type paths = Record<string, never>;
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
            code: "malformed_json" | "json_too_deep" | "malformed_request" | "unauthorized" | "cross_site" | "password_required" | "not_found" | "method_not_allowed" | "insufficient_stock" | "invoice_state" | "idempotency_conflict" | "client_key_in_use" | "external_id_in_use" | "version_conflict" | "precondition_failed" | "body_too_large" | "unsupported_media_type" | "validation_error" | "unknown_workflow_status" | "unknown_event" | "channel_limit_reached" | "blocked_address" | "rate_limited" | "internal_error" | "unavailable";
            errors?: {
                pointer: string;
                detail: string;
            }[];
            request_id: string;
            /** @description `insufficient_stock`: the grams requested */
            requested_grams?: number;
            /** @description `insufficient_stock`: the grams in stock */
            available_grams?: number;
            /** @description `insufficient_stock`: the grams missing */
            shortage_grams?: number;
            /** @description `insufficient_stock`: whether `allow_overdraw` would deduct them anyway; false if the filament has no batch */
            can_overdraw?: boolean;
            /** @description `unknown_workflow_status`, `unknown_event`: the values that exist */
            allowed?: string[];
            /** @description agent API: the refused report is shown on the printer's page, where the owner can process it again */
            kept?: boolean;
            /**
             * Format: uuid
             * @description `client_key_in_use`, `external_id_in_use`: the ID of the subscription with this key or the order with this ID
             */
            id?: string;
            /** @description `validation_error`: the characters that an invoice's PDF can't show */
            missing_letters?: {
                pointer: string;
                letters: string[];
            }[];
            /** @description `blocked_address`: the setting that would allow the address */
            setting?: string;
        };
        Session: {
            /** @description the signed-in account; null when signed out */
            person: components["schemas"]["Person"] | null;
            /** @description true: no account exists yet; the setup link creates the owner account */
            needs_setup: boolean;
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
        SetupInput: {
            email: string;
            name: string;
            password: string;
            /** @description the currency of prices and costs; default: RUB */
            currency?: string;
            code: string;
        };
        NewOwnerInput: {
            email: string;
            name: string;
            password: string;
            /** @description the currency of prices and costs; default: RUB */
            currency?: string;
        };
        SimulationCodeInput: {
            code: string;
        };
        FilamentUsage: {
            /** Format: date */
            from: string;
            /** Format: date */
            to: string;
            items: {
                /** @description null: all other filaments together */
                filament_id: string | null;
                name: string | null;
                colors: string[];
                grams: number;
                /** @description days without usage are left out */
                days: {
                    /** Format: date */
                    day: string;
                    grams: number;
                }[];
            }[];
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
            source: string | null;
            external_id: string | null;
            external_updated_at: string | null;
            /** @description the value received when the status was last set to one that isn't listed; null as soon as a listed status is set */
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
            /** @description grams of material, rounded to 3 decimal places */
            material_grams?: number;
            /** @description hours, rounded to 3 decimal places */
            print_hours?: number;
            /** Format: date */
            due_date?: string;
            order_notes?: string;
            /** @description a printer of this account; null for none */
            printer_id?: string | null;
            customer_name?: string | null;
            customer_contact?: string | null;
            /** @description in minor units of `currency` */
            price?: number | null;
            /** @description ISO 4217 */
            currency?: string | null;
            source?: string | null;
            external_id?: string | null;
            /** @description when the order was last changed there */
            external_updated_at?: string | null;
            /**
             * @description default: `negotiation`
             * @enum {string}
             */
            workflow_status?: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
        };
        StatusChangeInput: {
            /** @description up to 100 orders; the results are in this order */
            ids: string[];
            /**
             * @description one of these; nothing is reset here
             * @enum {string}
             */
            workflow_status: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
            /** @description a printer of this account; null for none; absent: left as it is */
            printer_id?: string | null;
        };
        StatusResults: {
            results: components["schemas"]["StatusResult"][];
        };
        StatusResult: {
            /** Format: uuid */
            id: string;
            /** @description as if this order had been changed alone: 200, or that of the error */
            status: number;
            /**
             * @description with 200: the status that the order has now
             * @enum {string}
             */
            workflow_status?: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
            /** @description otherwise: the members of an error body */
            error?: {
                type: string;
                title: string;
                status: number;
                detail: string;
                /** @enum {string} */
                code: "malformed_json" | "json_too_deep" | "malformed_request" | "unauthorized" | "cross_site" | "password_required" | "read_only_token" | "not_found" | "method_not_allowed" | "insufficient_stock" | "invoice_state" | "idempotency_conflict" | "client_key_in_use" | "external_id_in_use" | "version_conflict" | "precondition_failed" | "body_too_large" | "unsupported_media_type" | "validation_error" | "unknown_workflow_status" | "unknown_event" | "channel_limit_reached" | "blocked_address" | "rate_limited" | "internal_error" | "unavailable";
                errors?: {
                    pointer: string;
                    detail: string;
                }[];
            };
        };
        /** @description The order as it stands in the other system. `model_name` is required when this creates the order. */
        ExternalOrderInput: {
            model_name?: string;
            quantity_pieces?: number;
            material_name?: string;
            color_hex?: string;
            /** @description grams of material, rounded to 3 decimal places */
            material_grams?: number;
            /** @description hours, rounded to 3 decimal places */
            print_hours?: number;
            /** Format: date */
            due_date?: string;
            order_notes?: string;
            /** @description a printer of this account; null for none */
            printer_id?: string | null;
            customer_name?: string | null;
            customer_contact?: string | null;
            /** @description in minor units of `currency` */
            price?: number | null;
            /** @description ISO 4217 */
            currency?: string | null;
            /** @description when the order was last changed there */
            external_updated_at?: string | null;
        };
        /** @description Only the fields to change. A whole record may be sent back: what cannot be written is ignored and named in `X-Svc-Ignored-Fields`. */
        OrderPatchInput: {
            model_name?: string;
            quantity_pieces?: number;
            material_name?: string;
            color_hex?: string;
            /** @description grams of material, rounded to 3 decimal places */
            material_grams?: number;
            /** @description hours, rounded to 3 decimal places */
            print_hours?: number;
            /** Format: date */
            due_date?: string;
            order_notes?: string;
            /** @description a printer of this account; null for none */
            printer_id?: string | null;
            customer_name?: string | null;
            customer_contact?: string | null;
            /** @description in minor units of `currency` */
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
            /** @description the name of the token that made the change */
            actor: string;
            from_status: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            to_status: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            /** @description `status_reset`: the value that was received instead of a listed status */
            received: string | null;
            filament_id: string | null;
            /** @description `consumption`: the grams used; negative if a deduction was undone */
            grams: number | null;
            /** @description `consumption`: in the account's currency; null if unknown */
            cost: number | null;
            /** @description the currency of `cost`; null without a cost */
            cost_currency: string | null;
            /** @description the same as `cost` if the account's currency is RUB, otherwise null */
            cost_rub: number | null;
            note: string | null;
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
            /** @description grams used from batches that aren't archived; negative if a stocktake found more in full spools than their labels say */
            used_grams: number;
            /** @description number of spools received in batches that aren't archived */
            spool_count: number;
            /** @description with 0, the filament is never low */
            low_stock_threshold_grams: number;
            /** @description price of one spool of the batch in use; null if unknown */
            spool_price: number | null;
            /** @description the account's currency, ISO 4217 */
            spool_price_currency: string;
            /** @description the same as `spool_price` if the account's currency is RUB, otherwise null */
            spool_price_rub: number | null;
            /** @description `spool_weight_grams` × `spool_count` − `used_grams`; negative if overdrawn */
            remaining_grams: number;
            /** @description `remaining_grams` is at or below the threshold */
            is_low_stock: boolean;
            /** @description at least one batch is overdrawn */
            needs_review: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        NewFilamentInput: {
            name: string;
            brand?: string;
            /** @description material type */
            type_name?: string;
            colors?: string[];
            is_gradient?: boolean;
            /** @description rounded to 3 decimal places; with 0 or null, the filament is never low */
            low_stock_threshold_grams?: number | null;
            /** @description grams of filament on one spool, rounded to 3 decimal places; default: 1000 */
            spool_weight_grams?: number;
            /** @description number of spools in the first batch; if absent or 0, the filament is created without a batch */
            spool_count?: number;
            /** @description price of one spool in the account's currency, with no more decimal places than the currency has; null if unknown */
            spool_price?: number | null;
            /** @description must be the account's currency */
            spool_price_currency?: string;
            /** @description the same as `spool_price`; only in accounts whose currency is RUB */
            spool_price_rub?: number | null;
            /**
             * Format: date-time
             * @description when the spools were received; the oldest are used first; default: the current time
             */
            received_at?: string;
        };
        ConsumeRequestInput: {
            /** @description grams to deduct, rounded to 3 decimal places */
            grams: number;
            use_weight?: unknown;
            /** @description the order the material was used for; its history gets an entry with the grams and their cost */
            order_id?: string | null;
            printer_id?: string | null;
            note?: string | null;
            /** @description for clients that can't set the `Idempotency-Key` header, which takes precedence */
            idempotency_key?: string;
            /** @description deduct even if there isn't enough in stock; default: false */
            allow_overdraw?: boolean;
        } | {
            /** @description another name for `grams`; send only one of the two */
            use_weight: number;
            grams?: unknown;
            /** @description the order the material was used for; its history gets an entry with the grams and their cost */
            order_id?: string | null;
            printer_id?: string | null;
            note?: string | null;
            /** @description for clients that can't set the `Idempotency-Key` header, which takes precedence */
            idempotency_key?: string;
            /** @description deduct even if there isn't enough in stock; default: false */
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
            /** @description more was used than the batch held */
            needs_review: boolean;
            archived_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        NewFilamentBatchInput: {
            /** @description price of one spool in the account's currency, with no more decimal places than the currency has; null if unknown */
            spool_price?: number | null;
            /** @description must be the account's currency */
            spool_price_currency?: string;
            /** @description the same as `spool_price`; only in accounts whose currency is RUB */
            spool_price_rub?: number | null;
            /**
             * Format: date-time
             * @description when the spools were received; the oldest are used first; default: the current time
             */
            received_at?: string;
            spool_count: number;
        };
        FilamentLedgerEntry: {
            /** Format: uuid */
            id: string;
            /**
             * @description `adjustment`: a stocktake found more or less than expected; `undo`: reverses another entry
             * @enum {string}
             */
            kind: "receipt" | "consumption" | "adjustment" | "undo";
            /** Format: uuid */
            batch_id: string;
            /** @description shared by entries that were made together and are undone together */
            deduction_id: string | null;
            /** @description `undo`: the entry that it reverses */
            undoes_id: string | null;
            /** @description the `undo` entry that reversed this one */
            undone_by_id: string | null;
            /** @description positive: added to the batch; negative: taken from it. All entries add up to what remains */
            grams: number;
            /** @description what the grams are worth; negative if a deduction was undone; null if unknown */
            cost: number | null;
            /** @description the account's currency */
            cost_currency: string;
            /** @description the same as `cost` if the account's currency is RUB, otherwise null */
            cost_rub: number | null;
            order_id: string | null;
            printer_id: string | null;
            note: string | null;
            /** @description more was taken than the batch held */
            overdraw: boolean;
            /** @description `consumption`: `report` if a printer's rule deducted it, otherwise `request`; null if unknown */
            source: ("report" | "request") | null;
            /** @description grams deducted for the same order within 24 hours by the other `source` and not undone, so perhaps for the same print; null if none */
            also_deducted_grams: number | null;
            /** @description `adjustment`: the grams that the stocktake found; null if unknown */
            counted_grams: number | null;
            /** @description the latest stocktake of this batch after this entry; undoing the entry would contradict what was counted */
            later_stocktake: {
                /** Format: uuid */
                entry_id: string;
                /** Format: date-time */
                at: string;
                /** @description null if unknown */
                counted_grams: number | null;
                /** @description the batch that was counted; null if all were counted together */
                batch_id: string | null;
            } | null;
            /** @description the name of the token that made the change */
            actor: string;
            /** Format: date-time */
            at: string;
        };
        FilamentPatchInput: {
            name?: string;
            brand?: string;
            /** @description material type */
            type_name?: string;
            colors?: string[];
            is_gradient?: boolean;
            /** @description rounded to 3 decimal places; with 0 or null, the filament is never low */
            low_stock_threshold_grams?: number | null;
            /** @description changes how much the received spools hold, so it can only be changed while no grams are deducted or counted, or after all of that was undone */
            spool_weight_grams?: number;
        };
        UndoRequestInput: {
            note?: string | null;
        };
        StocktakeInput: {
            /** @description grams of filament found, without the weight of the spools; rounded to 3 decimal places; at most 10 % more than was received */
            remaining_grams: number;
            /** @description the batch that was weighed; without it, all batches were weighed together */
            batch_id?: string | null;
            /** @description the reason for the difference */
            note?: string | null;
        };
        Printer: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description the label used within the farm */
            internal_name: string;
            model: string;
            technology: string;
            /** @description the printer group; null for none */
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
            /** @description for chat formats only the host, because the path is a secret */
            url: string;
            /** @enum {string} */
            format: "signed" | "slack" | "discord";
            events: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            enabled: boolean;
            /** @description events that do not match are not sent and get no number: each list that is set must contain the value in `data`; events without that field pass. null: every selected event is sent */
            filter: components["schemas"]["WebhookFilter"] | null;
            /** @description the header that every request to the receiver has besides ours; its value is never shown */
            header: components["schemas"]["WebhookHeader"] | null;
            /** @description as set when the subscription was created; absent if none was set */
            client_key?: string;
            /**
             * @description `failing`: the last attempt failed
             * @enum {string}
             */
            health: "ok" | "failing";
            /** @description number of failed attempts since the last successful one */
            consecutive_failures: number;
            last_success_at: string | null;
            /** @description the reason why the last attempt failed; null if it succeeded */
            last_error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            /** @description disables the subscription when so many attempts have failed in a row, until it is enabled again; null: it stays enabled */
            pause_after_failures: number | null;
            /** @description since when the subscription is disabled because of `pause_after_failures`; null if it is not */
            paused_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        WebhookFilter: {
            workflow_status?: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed")[];
            printer_id?: string[];
            /** @description compared exactly */
            material_name?: string[];
        };
        WebhookHeader: {
            name: string;
            /** @constant */
            value: "••••••••";
        };
        NewWebhookSubscriptionInput: {
            /** @description an http or https URL without user name and password */
            url: string;
            events: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            /**
             * @description default `signed`
             * @enum {string}
             */
            format?: "signed" | "slack" | "discord";
            /** @description default: the host name of the URL */
            name?: string;
            /** @description default `true` */
            enabled?: boolean;
            /** @description events that do not match are not sent and get no number: each list that is set must contain the value in `data`; events without that field pass. null: every selected event is sent */
            filter?: components["schemas"]["WebhookFilterInput"] | null;
            /** @description disables the subscription when so many attempts have failed in a row, until it is enabled again; null: it stays enabled */
            pause_after_failures?: number | null;
            /** @description a header that every request to the receiver has besides ours; null: none */
            header?: components["schemas"]["NewWebhookHeaderInput"] | null;
            /** @description a key of your choice, unique in the account; creating a subscription with the key of one deleted less than 30 days ago continues that subscription */
            client_key?: string;
        };
        WebhookFilterInput: {
            workflow_status?: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed")[];
            printer_id?: string[];
            /** @description compared exactly */
            material_name?: string[];
        };
        NewWebhookHeaderInput: {
            name: string;
            /** @description kept encrypted */
            value: "••••••••" | string;
        };
        CreatedWebhookSubscription: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description for chat formats only the host, because the path is a secret */
            url: string;
            /** @enum {string} */
            format: "signed" | "slack" | "discord";
            events: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            enabled: boolean;
            /** @description events that do not match are not sent and get no number: each list that is set must contain the value in `data`; events without that field pass. null: every selected event is sent */
            filter: components["schemas"]["WebhookFilter"] | null;
            /** @description the header that every request to the receiver has besides ours; its value is never shown */
            header: components["schemas"]["WebhookHeader"] | null;
            /** @description as set when the subscription was created; absent if none was set */
            client_key?: string;
            /**
             * @description `failing`: the last attempt failed
             * @enum {string}
             */
            health: "ok" | "failing";
            /** @description number of failed attempts since the last successful one */
            consecutive_failures: number;
            last_success_at: string | null;
            /** @description the reason why the last attempt failed; null if it succeeded */
            last_error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            /** @description disables the subscription when so many attempts have failed in a row, until it is enabled again; null: it stays enabled */
            pause_after_failures: number | null;
            /** @description since when the subscription is disabled because of `pause_after_failures`; null if it is not */
            paused_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description what was taken but may be a mistake, such as a material that nothing has; absent if there is nothing to say */
            warnings?: {
                pointer: string;
                detail: string;
            }[];
            /** @description the signing secret (HMAC key) of a signed subscription; in this response only */
            secret?: string;
        };
        /** @description Only the fields to change. */
        WebhookSubscriptionPatchInput: {
            events?: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            /** @description an http or https URL without user name and password */
            url?: string;
            name?: string;
            enabled?: boolean;
            /** @description events that do not match are not sent and get no number: each list that is set must contain the value in `data`; events without that field pass. null: every selected event is sent */
            filter?: components["schemas"]["WebhookFilterInput"] | null;
            /** @description disables the subscription when so many attempts have failed in a row, until it is enabled again; null: it stays enabled */
            pause_after_failures?: number | null;
            /** @description a header that every request to the receiver has besides ours; null: none */
            header?: components["schemas"]["NewWebhookHeaderInput"] | null;
        };
        UpdatedWebhookSubscription: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description for chat formats only the host, because the path is a secret */
            url: string;
            /** @enum {string} */
            format: "signed" | "slack" | "discord";
            events: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            enabled: boolean;
            /** @description events that do not match are not sent and get no number: each list that is set must contain the value in `data`; events without that field pass. null: every selected event is sent */
            filter: components["schemas"]["WebhookFilter"] | null;
            /** @description the header that every request to the receiver has besides ours; its value is never shown */
            header: components["schemas"]["WebhookHeader"] | null;
            /** @description as set when the subscription was created; absent if none was set */
            client_key?: string;
            /**
             * @description `failing`: the last attempt failed
             * @enum {string}
             */
            health: "ok" | "failing";
            /** @description number of failed attempts since the last successful one */
            consecutive_failures: number;
            last_success_at: string | null;
            /** @description the reason why the last attempt failed; null if it succeeded */
            last_error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            /** @description disables the subscription when so many attempts have failed in a row, until it is enabled again; null: it stays enabled */
            pause_after_failures: number | null;
            /** @description since when the subscription is disabled because of `pause_after_failures`; null if it is not */
            paused_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description what was taken but may be a mistake, such as a material that nothing has; absent if there is nothing to say */
            warnings?: {
                pointer: string;
                detail: string;
            }[];
            /** @description only if this change has enabled the subscription: the first event that was not sent while it was disabled, for `from` of `GET /events`; null if there is none */
            first_missed_event?: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                event: "order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid";
                /** Format: date-time */
                occurred_at: string;
            } | null;
        };
        NewWebhookSecretInput: {
            /** @description how long the old secret stays valid: `X-Svc-Signature` is made with the old one, and `webhook-signature` lists both; default `0` */
            overlap_hours?: number;
        };
        RecreatedWebhookSubscription: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description for chat formats only the host, because the path is a secret */
            url: string;
            /** @enum {string} */
            format: "signed" | "slack" | "discord";
            events: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            enabled: boolean;
            /** @description events that do not match are not sent and get no number: each list that is set must contain the value in `data`; events without that field pass. null: every selected event is sent */
            filter: components["schemas"]["WebhookFilter"] | null;
            /** @description the header that every request to the receiver has besides ours; its value is never shown */
            header: components["schemas"]["WebhookHeader"] | null;
            /** @description as set when the subscription was created; absent if none was set */
            client_key?: string;
            /**
             * @description `failing`: the last attempt failed
             * @enum {string}
             */
            health: "ok" | "failing";
            /** @description number of failed attempts since the last successful one */
            consecutive_failures: number;
            last_success_at: string | null;
            /** @description the reason why the last attempt failed; null if it succeeded */
            last_error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            /** @description disables the subscription when so many attempts have failed in a row, until it is enabled again; null: it stays enabled */
            pause_after_failures: number | null;
            /** @description since when the subscription is disabled because of `pause_after_failures`; null if it is not */
            paused_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description what was taken but may be a mistake, such as a material that nothing has; absent if there is nothing to say */
            warnings?: {
                pointer: string;
                detail: string;
            }[];
            /** @description the signing secret (HMAC key) of a signed subscription; in this response only */
            secret?: string;
            /**
             * Format: date-time
             * @description until when the old secret is valid; absent if it is not any more
             */
            previous_secret_valid_until?: string;
        };
        DeliveryAttempt: {
            /**
             * Format: uuid
             * @description as sent in `X-Svc-Delivery`
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
            /** @description as sent in `X-Svc-Sequence` */
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
            /** @description empty if nothing was entered, like the other texts */
            contact: string;
            client_email: string;
            budget: string;
            deadline: string;
            file: {
                name: string;
                /** @description determined from its content: `stl`, `pdf` */
                kind: string;
                bytes: number;
            } | null;
            /** @description the order that was created from it; null if there is none or it was deleted */
            order_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Invoice: {
            /** Format: uuid */
            id: string;
            /** @description year and number, without gaps, such as `2026-0001`; sample invoices have a series of their own, such as `DEMO-0001`; null for a draft */
            number: string | null;
            /** @enum {string} */
            status: "draft" | "issued" | "paid" | "void";
            customer_name: string;
            currency: string;
            /** @description in minor units of `currency`, like every amount here */
            total: number;
            /** @description payments minus refunds */
            received: number;
            /** @description what remains to be paid */
            amount_due: number;
            issue_date: string | null;
            due_date: string | null;
            order_ids: string[];
            /** @description one of its payments needs to be reviewed */
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
            /** @description year and number, without gaps, such as `2026-0001`; sample invoices have a series of their own, such as `DEMO-0001`; null for a draft */
            number: string | null;
            /** @enum {string} */
            status: "draft" | "issued" | "paid" | "void";
            customer_name: string;
            currency: string;
            /** @description in minor units of `currency`, like every amount here */
            total: number;
            /** @description payments minus refunds */
            received: number;
            /** @description what remains to be paid */
            amount_due: number;
            issue_date: string | null;
            due_date: string | null;
            order_ids: string[];
            /** @description one of its payments needs to be reviewed */
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
            /** @description the payment link for the customer; null while the invoice is a draft, and after `SECRET_KEY` was lost */
            pay_url: string | null;
            /** @description SHA-256 of the document as it was issued */
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
            /** @description null: it couldn't be matched to an invoice */
            invoice_id: string | null;
            /**
             * @description `manual`: entered by the owner
             * @enum {string}
             */
            source: "stripe" | "notification" | "manual";
            /** @enum {string} */
            kind: "payment" | "refund";
            amount: number;
            currency: string;
            /** Format: date-time */
            at: string;
            payer: string | null;
            note: string | null;
            /** @description the invoice that the provider named, if the account has none with that number or ID */
            named_invoice: string | null;
            /** @description the provider's own ID */
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
            /** @description ISO 8601; null if it never expires */
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
            /** @description orders whose status was last set to a value that isn't listed */
            orders_status_reset: number;
            filaments: number;
            /** @description at or below their low-stock threshold */
            filaments_low: number;
            printers: number;
            printer_groups: number;
        };
        FoundOrders: {
            /** @description the orders that match, of every status, in no order */
            ids: string[];
        };
        NewPrinterInput: {
            name: string;
            /** @description the label used within the farm */
            internal_name?: string;
            model: string;
            technology?: string;
            /** @description the printer group; null for none */
            group_id?: string | null;
            is_favorite?: boolean;
            /** @description lower numbers come first */
            sort_order?: number;
        };
        PrinterPatchInput: {
            name?: string;
            /** @description the label used within the farm */
            internal_name?: string;
            model?: string;
            technology?: string;
            /** @description the printer group; null for none */
            group_id?: string | null;
            is_favorite?: boolean;
            /** @description lower numbers come first */
            sort_order?: number;
        };
        PrinterOrderInput: {
            /** @description the group to move the printers to; null for none */
            group_id: string | null;
            /** @description printer IDs in the new order */
            ids: string[];
        };
        PrinterGroupOrderInput: {
            /** @description printer group IDs in the new order */
            ids: string[];
        };
        NewPrinterGroupInput: {
            name: string;
            /** @description lower numbers come first */
            sort_order?: number;
        };
        PrinterGroupPatchInput: {
            name?: string;
            /** @description lower numbers come first */
            sort_order?: number;
        };
        Agent: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description null: the agent serves a group */
            printer_id: string | null;
            /** @description null: the agent serves one printer */
            printer_group_id: string | null;
            /** @description the last 4 characters of its token */
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
            /** @description refuse reports without a signature; default: false */
            signed_only?: boolean;
        };
        CreatedAgent: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description null: the agent serves a group */
            printer_id: string | null;
            /** @description null: the agent serves one printer */
            printer_group_id: string | null;
            /** @description the last 4 characters of its token */
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
            /** @description what was received as grams, if it isn't a plausible number */
            grams_text: string | null;
            reason: string | null;
            /**
             * @description how the report was received
             * @enum {string}
             */
            source: "report" | "octoprint" | "apprise";
            agent_name: string;
            /** @description the order the print was for; null if unknown */
            order_id: string | null;
            order_name: string | null;
            filament_id: string | null;
            filament_name: string | null;
            /** @description grams deducted from the filament; null if none were */
            deducted_grams: number | null;
            /** @description the status that the order was moved to; null if it wasn't moved */
            moved_to: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            /** @description why a rule was not carried out, and what is missing or doubtful: `unknown_order`: the file name has the label of an order that isn't in this account; `several_orders`: the file name has the labels of several orders; `no_order`: the report names no order, and this printer isn't printing exactly one; `order_moved_on`: the order was already in packing, delivery, done, cancelled or closed, so its status stays; `no_filament`: the report names no filament, and none is loaded on this printer; `no_stock`: the filament has no batch to deduct from; `no_grams`: the report contains no grams; `unreadable_grams`: the grams in the message couldn't be read or are ambiguous; see `grams_text`; `implausible_grams`: the grams are more than any print uses, or not a weight, so nothing was deducted; deduct the correct amount by hand; `no_file`: the message names no file, and no message that names one arrived within ten seconds */
            notes: ("unknown_order" | "several_orders" | "no_order" | "order_moved_on" | "no_filament" | "no_stock" | "no_grams" | "unreadable_grams" | "implausible_grams" | "no_file")[];
            /** @description a failure that may turn out to be a cancelled print, or a print without a file name: the time at which it is processed, unless another message about the same print arrives first */
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
            /** @description null: an agent of a group sent it without naming the printer */
            printer_id: string | null;
            /** @enum {string} */
            source: "report" | "octoprint" | "apprise";
            agent_name: string;
            event_id: string | null;
            filename: string | null;
            /** @enum {string} */
            code: "malformed_json" | "json_too_deep" | "malformed_request" | "unauthorized" | "cross_site" | "password_required" | "read_only_token" | "not_found" | "method_not_allowed" | "insufficient_stock" | "invoice_state" | "idempotency_conflict" | "client_key_in_use" | "external_id_in_use" | "version_conflict" | "precondition_failed" | "body_too_large" | "unsupported_media_type" | "validation_error" | "unknown_workflow_status" | "unknown_event" | "channel_limit_reached" | "blocked_address" | "rate_limited" | "internal_error" | "unavailable";
            /** @description why it was refused most recently */
            reason: string;
            /** @description false: it couldn't be read, is too long, or its `event_id` belongs to another report */
            can_retry: boolean;
            /** @description how often it was sent */
            received_count: number;
            /** Format: date-time */
            received_at: string;
            /** Format: date-time */
            last_received_at: string;
        };
        PrinterRules: {
            /** @description deduct the reported grams */
            deduct_grams: boolean;
            /** @description from this filament, unless the report names another one */
            loaded_filament_id: string | null;
            /** @description the status that the order moves to when its print has finished; null: the order stays where it is */
            on_finished: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            on_failed: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            on_cancelled: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
        };
        PrinterRulesPatchInput: {
            /** @description deduct the reported grams */
            deduct_grams?: boolean;
            /** @description from this filament, unless the report names another one */
            loaded_filament_id?: string | null;
            /** @description the status that the order moves to when its print has finished; null: the order stays where it is */
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
             * @description the language of the order's notes; default `en`
             * @enum {string}
             */
            language?: "en" | "ru";
        };
        Profile: {
            /** @description empty until the profile is saved for the first time */
            slug: string;
            /** @description whether the public page can be visited; default: false */
            is_public: boolean;
            headline: string;
            about: string;
            materials: string[];
            contact: string;
            /** @description in display order */
            photos: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ProfilePatchInput: {
            /** @description the last part of the public address: `/masters/{slug}` */
            slug?: string;
            /** @description whether the public page can be visited; default: false */
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
             * @description the language of the document
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
                /** @description in minor units of `currency`; negative for a discount */
                unit_price: number;
            }[];
            /** @description orders of one customer in one currency; each becomes a line unless `lines` are sent */
            order_ids?: string[];
        };
        InvoicePatchInput: {
            customer_name?: string;
            /** @description address, tax number, contact; several lines */
            customer_details?: string;
            /**
             * @description the language of the document
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
                /** @description in minor units of `currency`; negative for a discount */
                unit_price: number;
            }[];
        };
        InvoiceIssueInput: {
            /**
             * Format: date
             * @description today's date where the seller is; default: today in UTC
             */
            issue_date?: string;
        };
        NewManualPaymentInput: {
            /** @enum {string} */
            kind: "payment" | "refund";
            /** @description in minor units of the invoice's currency */
            amount: number;
            /**
             * Format: date-time
             * @description default: the current time
             */
            at?: string;
            note?: string;
        };
        InvoiceSeller: {
            name: string;
            address: string;
            tax_id: string;
            bank_details: string;
            /** @description payment instructions for the customer, shown on the invoice and the payment page */
            payment_note: string;
            /** @description ISO 4217 */
            default_currency: string;
        };
        InvoiceSellerPatchInput: {
            name?: string;
            address?: string;
            tax_id?: string;
            bank_details?: string;
            /** @description payment instructions for the customer, shown on the invoice and the payment page */
            payment_note?: string;
            /** @description ISO 4217 */
            default_currency?: string;
        };
        PaymentProvider: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "stripe" | "notification";
            name: string;
            /** @description if false, customers can't choose it on payment pages; what it reports is still recorded */
            enabled: boolean;
            /** @description Stripe’s test mode: no money moves */
            is_test: boolean;
            /** @description its signing secret is set, so its reports can be verified; until then it isn't offered on payment pages */
            is_ready: boolean;
            /** @description the URL to which the provider sends its reports */
            notification_url: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description the signing secret of signed notifications; in this response only */
            secret?: string;
        };
        NewPaymentProviderInput: {
            name?: string;
            enabled?: boolean;
            /** @description the secret key or restricted key from Stripe */
            secret_key?: string;
            /** @description the signing secret that Stripe shows once `notification_url` is added there as an endpoint */
            webhook_secret?: string;
            /** @enum {string} */
            kind: "stripe" | "notification";
        };
        PaymentProviderPatchInput: {
            name?: string;
            enabled?: boolean;
            /** @description the secret key or restricted key from Stripe */
            secret_key?: string;
            /** @description the signing secret that Stripe shows once `notification_url` is added there as an endpoint */
            webhook_secret?: string;
        };
        AccountSettings: {
            /** @description ISO 4217: the currency of prices and costs */
            currency: string;
            /** @description true once a price is stored: the currency can no longer be changed */
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
            /** @description the last 4 characters of the token */
            hint: string;
            /** @description whether it can only read */
            read_only: boolean;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            last_used_at: string | null;
        };
        NewAccessTokenInput: {
            name: string;
            /** @description days until it expires; null: never; default: 365 */
            days?: number | null;
            /** @description true: the token can only read; default: false */
            read_only?: boolean;
        };
        EventLogEntry: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            event: "order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid" | "webhook.test";
            /** @description what the event is about, such as `order:<id>`; events about the same subject are sent in order */
            subject: string;
            /** Format: date-time */
            occurred_at: string;
            /** @description the JSON body, byte for byte as signed subscriptions receive it */
            body: string;
            deliveries: components["schemas"]["LoggedDelivery"][];
        };
        LoggedDelivery: {
            /** @description as sent in `X-Svc-Delivery`; null until it is sent */
            id: string | null;
            /** Format: uuid */
            subscription_id: string;
            subscription_name: string;
            /** @enum {string} */
            status: "pending" | "sending" | "succeeded" | "failed";
            response_status: number | null;
            error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            attempted_at: string | null;
            duration_ms: number | null;
            /** @description as sent in `X-Svc-Sequence` */
            sequence: number | null;
        };
        SentRequest: {
            headers: {
                [key: string]: string;
            };
            body: string;
            /**
             * @description `unknown`: the subscription was changed since then, so its secret may differ; `none`: chat formats aren't signed
             * @enum {string}
             */
            signature: "shown" | "unknown" | "none";
        };
        SampleState: {
            /** @description the account has sample data that can be removed */
            has_sample: boolean;
            /** @description the account is empty, so sample data can be added */
            is_empty: boolean;
        };
        SimulationState: {
            /** @description a simulated farm can be started now */
            is_available: boolean;
            /** @description null: this account isn't that of a simulation */
            simulation: {
                /** @description the time of its day, in minutes since midnight; null: not known */
                minute: number | null;
                /** @description its day has ended */
                is_over: boolean;
                printers: components["schemas"]["SimulatedPrinter"][];
            } | null;
        };
        SimulatedPrinter: {
            /** Format: uuid */
            printer_id: string;
            name: string;
            /** @description what it prints; null: nothing */
            order_name: string | null;
            percent: number;
        };
        DashboardStats: {
            /**
             * Format: date
             * @description the first day of the range
             */
            since: string;
            /**
             * Format: date
             * @description the last day of the range
             */
            today: string;
            /** @description open orders due today or before, the oldest 12 */
            due: {
                /** @description open orders whose due date has passed */
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
            /** @description the number of orders in each status now */
            orders_by_status: {
                /** @enum {string} */
                workflow_status: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
                orders: number;
            }[];
            /** @description every day, oldest first; orders that were deleted aren't counted */
            days: {
                /** Format: date */
                day: string;
                created: number;
                /** @description orders that moved to `done`, each counted once a day */
                done: number;
                /** @description how often orders moved to `print_error` */
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
            /** @description subscriptions whose latest attempt failed and that are enabled or paused */
            failing_subscriptions: {
                /** Format: uuid */
                id: string;
                name: string;
                url: string;
                /** @description owners are warned from 10 on */
                consecutive_failures: number;
                /** @description since when `pause_after_failures` has disabled it */
                paused_at: string | null;
                /** @description of the latest attempt, as everything below */
                error: string | null;
                response_status: number | null;
                /** Format: date-time */
                attempted_at: string;
                event: string;
                /** @description what the event is about */
                subject: string;
                /** @description its name; null if the event has none */
                subject_name: string | null;
            }[];
        };
        PrinterStats: {
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
export type operations = Record<string, never>;
