// Made from plants.yaml by `npm run codegen`; change that file, not this one.

export interface paths {
    "/plants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List plants
         * @description Lists the caller's plants, ordered by ascending `id`: all of them, or the first
         *     `limit`. The list is streamed, however long it is. A transfer that breaks off
         *     before the closing bracket is not the whole list.
         */
        get: operations["listPlants"];
        put?: never;
        /**
         * Create a plant
         * @description Creates a plant in the caller's store. When the answer arrives, the plant is
         *     stored for good.
         *
         *     Repeating the request is safe: creating a plant that is there already, with the
         *     same content, answers 200 and changes nothing. A client that lost the answer sends
         *     its request again. Only the same `id` with other content is a conflict. Another
         *     caller's plant of the same `id` never matters.
         *
         *     The body is JSON in UTF-8 (RFC 8259), and its values are taken as they are: `"12"`
         *     is not an integer, and neither is `12.0` (OpenAPI 3.0.3, Data Types). Members that
         *     the schema does not name are ignored and never stored. The body is refused with 400
         *     if an object names a member twice or names one `__proto__`, if a string holds half
         *     of a surrogate pair, or if it is nested deeper than its `x-limits` allow.
         */
        post: operations["createPlant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plants/{id}": {
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
         * Delete a plant
         * @description Deletes one plant from the caller's store. Its `id` is free again afterwards.
         *     Deleting a plant that the caller does not have is a 404, whether it never was
         *     there, is deleted already, or belongs to somebody else.
         */
        delete: operations["deletePlant"];
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
         * @description Identification number of a plant, unique among the plants of its owner: any 64-bit
         *     integer. Programs that keep JSON numbers as doubles (JavaScript's `JSON.parse` is
         *     one) lose digits above 2^53: read and write it as a big integer.
         * @example 7
         */
        PlantId: bigint;
        /** @description A plant, as create and list return it. */
        Plant: {
            /**
             * @description The name of the plant: 1 to 255 characters (Unicode code points), any but U+0000.
             * @example Monstera deliciosa
             */
            name: string;
            /**
             * @description Tag that specifies the type: up to 255 characters (Unicode code points), any
             *     but U+0000. A plant without a tag and one with an empty tag differ.
             * @example climber
             */
            tag?: string;
        };
        /** @description All fields of Plant, plus its `id`. */
        NewPlant: components["schemas"]["Plant"] & {
            id: components["schemas"]["PlantId"];
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
             * @example There is no plant with this id.
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
         *     request again after the given time: a create that did happen is not done twice.
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
         * @description The challenge of RFC 6750, section 3. Without `error` where no bearer token came;
         *     with `error="invalid_token"` where the token is malformed, unknown, expired or
         *     revoked.
         * @example Bearer realm="Plant Store"
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
    listPlants: {
        parameters: {
            query?: {
                /**
                 * @description How many plants to return at most. Without it, all of them.
                 * @example 20
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller's plants, by ascending `id`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plant"][];
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
    createPlant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The plant, with the `id` that it shall have. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPlant"];
            };
        };
        responses: {
            /** @description The plant is stored. The answer repeats what the store now holds. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plant"];
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
    deletePlant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` that the plant was created with.
                 * @example 7
                 */
                id: components["schemas"]["PlantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plant is deleted. */
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
    "listPlants": ["bearerAuth"];
    "createPlant": ["bearerAuth"];
    "deletePlant": ["bearerAuth"];
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
    "plants": "listPlants" | "createPlant" | "deletePlant";
}
