// Made from gardens.yaml by `npm run codegen`; change that file, not this one.

export interface paths {
    "/gardens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List gardens
         * @description Lists the caller's gardens, ordered by ascending `id`: all of them, or the first `limit`
         *     after the garden `after`. To read page by page, ask with the last `id` of each page, until
         *     a page has fewer than `limit`.
         */
        get: operations["listGardens"];
        put?: never;
        /**
         * Create a garden
         * @description Creates a garden in the caller's store. Repeating the request is safe: a garden that is
         *     there already, with the same content, answers 200 and changes nothing. The same `id`
         *     with other content is a conflict.
         */
        post: operations["createGarden"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gardens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a garden
         * @description Reads one garden of the caller.
         */
        get: operations["getGarden"];
        /**
         * Change a garden
         * @description Replaces all members of a garden but its `id`. A member that the body leaves out is gone.
         *     Repeating the request is safe.
         */
        put: operations["updateGarden"];
        post?: never;
        /**
         * Delete a garden
         * @description Deletes one garden of the caller. If the garden still has beds, this is a conflict.
         */
        delete: operations["deleteGarden"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/beds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List beds
         * @description Lists the caller's beds of all gardens, or of one `garden`, as listGardens lists gardens.
         *
         *     `sort` names the order, with a minus for descending. Names are sorted by their code points,
         *     and beds of one name by `id`, in the same direction. To read page by page, ask with the
         *     last `id` of each page and, if the list is sorted by name, with the last `name`, too. No
         *     bed comes twice or is left out because others are created, deleted or renamed meanwhile.
         */
        get: operations["listBeds"];
        put?: never;
        /**
         * Create a bed
         * @description Creates a bed in one of the caller's gardens. A `garden` that the caller does not have
         *     is a 404. Repeating the request is safe, as createGarden says.
         */
        post: operations["createBed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/beds/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a bed
         * @description Reads one bed of the caller.
         */
        get: operations["getBed"];
        put?: never;
        post?: never;
        /**
         * Delete a bed
         * @description Deletes one bed of the caller.
         */
        delete: operations["deleteBed"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suppliers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List suppliers
         * @description Lists the caller's suppliers, ordered by ascending `id`, which is about the order in which
         *     they were created. It lists all of them, or the first `limit` after the supplier `after`.
         */
        get: operations["listSuppliers"];
        put?: never;
        /**
         * Create a supplier
         * @description Creates a supplier, whose `id` the server chooses. Repeating the request creates another
         *     supplier. If no answer came, look in the list before you send it again.
         */
        post: operations["createSupplier"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suppliers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a supplier
         * @description Reads one supplier of the caller.
         */
        get: operations["getSupplier"];
        put?: never;
        post?: never;
        /**
         * Delete a supplier
         * @description Deletes one supplier of the caller.
         */
        delete: operations["deleteSupplier"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Format: int64
         * @description Identification number of a garden, unique among the gardens of its owner. Programs that
         *     keep JSON numbers as doubles lose digits above 2^53.
         * @example 7
         */
        GardenId: bigint;
        /**
         * Format: int64
         * @description Identification number of a bed, unique among the beds of its owner. Programs that
         *     keep JSON numbers as doubles lose digits above 2^53.
         * @example 7
         */
        BedId: bigint;
        /** @description What a garden has beside its `id`. */
        GardenContent: {
            /**
             * @description 1 to 255 characters (Unicode code points), any but U+0000.
             * @example Kitchen garden
             */
            name: string;
            /**
             * Format: int32
             * @description Its area in square metres.
             * @example 40
             */
            area?: number;
        };
        /** @description A garden. */
        Garden: components["schemas"]["GardenContent"] & {
            id: components["schemas"]["GardenId"];
        };
        /**
         * @description 1 to 255 characters (Unicode code points), any but U+0000.
         * @example Herbs
         */
        BedName: string;
        /** @description A bed in a garden. */
        Bed: {
            id: components["schemas"]["BedId"];
            garden: components["schemas"]["GardenId"];
            name: components["schemas"]["BedName"];
        };
        /**
         * Format: uuid
         * @description What the server calls a supplier: a UUID of version 7, in lower case. A request may have
         *     it in either case.
         * @example 0192f3a4-5b6c-7d8e-9fab-cdef01234567
         */
        SupplierId: string;
        /** @description What a supplier has beside its `id`. */
        SupplierContent: {
            /**
             * @description 1 to 255 characters (Unicode code points), any but U+0000.
             * @example Seeds and Sons
             */
            name: string;
        };
        /** @description Somebody who sells seeds or plants. */
        Supplier: components["schemas"]["SupplierContent"] & {
            id: components["schemas"]["SupplierId"];
        };
        /**
         * @description What went wrong: the body of every error. Two errors belong to no operation: a path
         *     that is not in this document is a 404, and a method that its path does not have is a
         *     405 whose `Allow` header lists the methods that it does have. A request that is not
         *     valid HTTP, such as one without a `Host`, is a 400 wherever it is sent.
         */
        Error: {
            /**
             * Format: int32
             * @description The HTTP status code of the answer.
             * @example 400
             */
            error: number;
            /**
             * @description What is wrong, in one sentence for a person. Programs read `error`.
             * @example There is no garden with this id.
             */
            message: string;
        };
    };
    responses: {
        /**
         * @description A parameter or the body is not valid, or the body is not JSON; `message` names the
         *     place. A number in a path or a query is plain decimal: no sign but `-`, no leading
         *     zeros, no exponent and no spaces. Nothing is changed.
         */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description No bearer token came, or one that is malformed, unknown, expired or revoked.
         *     Nothing else about the request was looked at.
         */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The caller has no item that the request names. Whether it never was there, is
         *     deleted already, or belongs to somebody else makes no difference. Nothing is changed.
         */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request did not arrive whole in the time that the server gives it. */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The request conflicts with something that the caller has stored, as its operation
         *     describes. Nothing is changed.
         */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than `x-limits` of the request body allows. Nothing is changed. */
        ContentTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The body is not sent as `application/json`, names a `charset` other than UTF-8, or
         *     is compressed (any `Content-Encoding`, or a `Transfer-Encoding` other than
         *     `chunked`). Nothing is changed.
         */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The owner of the token sent more requests in a second than the server admits. Nothing
         *     was done. Send the request again after the given time.
         */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The server failed in a way that it has no better word for. Its log has the cause. */
        InternalServerError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The database is out of reach, or the server has more to do than it can. Send the
         *     request again after the given time: a create that did happen is not done twice, if the
         *     caller chose the `id`.
         */
        ServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The id of this request in the service's log; name it when something went wrong. It
         *     is the request's own `X-Request-Id`, if that has at most 100 characters out of
         *     letters, digits and `_.:/+=@-`, and holds no token. Otherwise the service makes one.
         *     Answers that belong to no operation have it, too.
         * @example kJ3x9Qf2-12
         */
        "X-Request-Id": string;
        /**
         * @description The path of the new supplier.
         * @example /suppliers/0192f3a4-5b6c-7d8e-9fab-cdef01234567
         */
        SupplierLocation: string;
        /**
         * @description The challenge of RFC 6750, section 3. Without `error` where no bearer token came;
         *     with `error="invalid_token"` where the token is malformed, unknown, expired or
         *     revoked.
         * @example Bearer realm="Gardens"
         */
        "WWW-Authenticate": string;
        /**
         * @description How many seconds to wait before sending the request again.
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description How many requests (`q`) an owner may send in how many seconds (`w`), as
         *     draft-ietf-httpapi-ratelimit-headers-11 has it.
         * @example "owner";q=100;w=1
         */
        "RateLimit-Policy": string;
        /**
         * @description How many requests are left (`r`), and in how many seconds there are more (`t`), as
         *     draft-ietf-httpapi-ratelimit-headers-11 has it.
         * @example "owner";r=0;t=1
         */
        RateLimit: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listGardens: {
        parameters: {
            query?: {
                /**
                 * @description How many to return at most. Without it, all of them.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description The `id` of the last one of the page before. Those with a larger one follow.
                 * @example 7
                 */
                after?: components["schemas"]["GardenId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller's gardens, by ascending `id`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Garden"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createGarden: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The garden, with the `id` that it shall have. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Garden"];
            };
        };
        responses: {
            /** @description The garden is stored. The answer repeats what the store now holds. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Garden"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getGarden: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` that the garden was created with.
                 * @example 7
                 */
                id: components["schemas"]["GardenId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The garden. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Garden"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateGarden: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` that the garden was created with.
                 * @example 7
                 */
                id: components["schemas"]["GardenId"];
            };
            cookie?: never;
        };
        /** @description What the garden shall be from now on. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["GardenContent"];
            };
        };
        responses: {
            /** @description The garden is changed. The answer repeats what the store now holds. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Garden"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteGarden: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` that the garden was created with.
                 * @example 7
                 */
                id: components["schemas"]["GardenId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The garden is deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBeds: {
        parameters: {
            query?: {
                /**
                 * @description How many to return at most. Without it, all of them.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description What the beds are sorted by. Without it, by ascending `id`.
                 * @example -name
                 */
                sort?: "id" | "-id" | "name" | "-name";
                /**
                 * @description The `id` of the last one of the page before. Those that come after it follow.
                 * @example 7
                 */
                after?: components["schemas"]["BedId"];
                /**
                 * @description The `name` of the same bed. A list that is sorted by name needs it with `after`; no other takes it.
                 * @example Herbs
                 */
                afterName?: components["schemas"]["BedName"];
                /**
                 * @description The `id` of a garden. Only its beds are listed; none if the caller has no such garden.
                 * @example 7
                 */
                garden?: components["schemas"]["GardenId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller's beds, in the order that was asked for. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bed"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createBed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The bed, with the `id` that it shall have and the garden that it is in. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Bed"];
            };
        };
        responses: {
            /** @description The bed is stored. The answer repeats what the store now holds. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bed"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` that the bed was created with.
                 * @example 7
                 */
                id: components["schemas"]["BedId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bed"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteBed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` that the bed was created with.
                 * @example 7
                 */
                id: components["schemas"]["BedId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bed is deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSuppliers: {
        parameters: {
            query?: {
                /**
                 * @description How many to return at most. Without it, all of them.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description The `id` of the last one of the page before. Those with a larger one follow.
                 * @example 0192f3a4-5b6c-7d8e-9fab-cdef01234567
                 */
                after?: components["schemas"]["SupplierId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller's suppliers, by ascending `id`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Supplier"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSupplier: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The supplier, without an `id`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SupplierContent"];
            };
        };
        responses: {
            /** @description The supplier is stored. The answer repeats what the store now holds. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["SupplierLocation"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Supplier"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSupplier: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` that the server gave the supplier.
                 * @example 0192f3a4-5b6c-7d8e-9fab-cdef01234567
                 */
                id: components["schemas"]["SupplierId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The supplier. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Supplier"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteSupplier: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` that the server gave the supplier.
                 * @example 0192f3a4-5b6c-7d8e-9fab-cdef01234567
                 */
                id: components["schemas"]["SupplierId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The supplier is deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}

/** The security schemes of each operation; none if it is public. */
export interface security {
    "listGardens": ["bearerAuth"];
    "createGarden": ["bearerAuth"];
    "getGarden": ["bearerAuth"];
    "updateGarden": ["bearerAuth"];
    "deleteGarden": ["bearerAuth"];
    "listBeds": ["bearerAuth"];
    "createBed": ["bearerAuth"];
    "getBed": ["bearerAuth"];
    "deleteBed": ["bearerAuth"];
    "listSuppliers": ["bearerAuth"];
    "createSupplier": ["bearerAuth"];
    "getSupplier": ["bearerAuth"];
    "deleteSupplier": ["bearerAuth"];
}

/** The parameters with a default, by operation and place. They are never undefined in a handler. */
export interface defaults {
}

/** The compiler checks handlers against this: packages/service/src/contract/handlers.ts. */
export interface contract {
    operations: operations;
    security: security;
    defaults: defaults;
}

/** The operations of each tag. */
export interface tags {
    "gardens": "listGardens" | "createGarden" | "getGarden" | "updateGarden" | "deleteGarden";
    "beds": "listBeds" | "createBed" | "getBed" | "deleteBed";
    "suppliers": "listSuppliers" | "createSupplier" | "getSupplier" | "deleteSupplier";
}
