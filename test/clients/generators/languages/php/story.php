<?php
// The story of clients/story.ts, by the client that openapi-generator makes for PHP.
declare(strict_types=1);

use GuzzleHttp\Client;
use OpenAPI\Client\Api\PlantsApi;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model;
use OpenAPI\Client\ObjectSerializer;

// A warning ends the story, but for what PHP has deprecated since the client's 7.2.
error_reporting(E_ALL & ~E_DEPRECATED);
set_error_handler(function (int $level, string $message, string $file, int $line) {
    throw new ErrorException($message, 0, $level, $file, $line);
}, error_reporting());
require 'GuzzleHttp/autoload.php';
require __DIR__ . '/guzzle-6.php';
spl_autoload_register(function (string $class) {
    $file = __DIR__ . '/../out/php/lib/' . strtr(substr($class, strlen('OpenAPI\\Client\\')), '\\', '/') . '.php';
    if (str_starts_with($class, 'OpenAPI\\Client\\')) {
        require $file;
    }
});

function connect(string $token): PlantsApi
{
    $configuration = (new Configuration())->setHost(getenv('PLANTS_URL'))->setAccessToken($token);
    return new PlantsApi(new Client(), $configuration);
}

// The setters check what they are given, the constructor does not: it is the service that shall refuse.
function plant(int $id, string $name, ?string $tag = null): Model\NewPlant
{
    return new Model\NewPlant(['id' => $id, 'name' => $name, 'tag' => $tag]);
}

function tell(string $step, callable $call): void
{
    try {
        $told = $call();
    } catch (ApiException $failure) {
        $told = $failure->getResponseObject();
        if (!$told instanceof Model\Error || $told->getError() !== $failure->getCode()) {
            throw $failure;
        }
    }
    $told = ObjectSerializer::sanitizeForSerialization($told ?? 'nothing');
    echo json_encode([$step => $told], JSON_THROW_ON_ERROR), "\n";
}

$plants = connect(getenv('PLANTS_TOKEN'));
tell('created', fn() => $plants->createPlant(plant(PHP_INT_MAX, 'Monstera deliciosa', 'climber')));
tell('another', fn() => $plants->createPlant(plant(PHP_INT_MIN, 'Ficus')));
tell('first', fn() => $plants->listPlants(1));
tell('all', fn() => $plants->listPlants());
tell('conflict', fn() => $plants->createPlant(plant(PHP_INT_MAX, 'Fern')));
tell('badBody', fn() => $plants->createPlant(plant(9, '')));
// It would refuse a number below 1 by itself; this text passes its comparisons.
tell('badLimit', fn() => $plants->listPlants('1x'));
tell('deleted', fn() => $plants->deletePlant(PHP_INT_MAX));
tell('absent', fn() => $plants->deletePlant(PHP_INT_MAX));
tell('refused', fn() => connect('plant_x')->listPlants());
