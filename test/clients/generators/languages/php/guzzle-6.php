<?php
// The client is written for Guzzle 6; this is the one function of it that Guzzle 7 does not have.
namespace GuzzleHttp\Psr7;

function build_query(array $parameters)
{
    return Query::build($parameters);
}
