# The story of clients/story.ts, by the client that openapi-generator makes for Perl.
use strict;
use warnings;
use JSON;
use WWW::OpenAPIClient::Object::NewPlant;
use WWW::OpenAPIClient::PlantsApi;

# The ends of int64.
my ($first, $last) = (-9223372036854775807 - 1, 9223372036854775807);

sub connect_with {
    my ($token) = @_;
    return WWW::OpenAPIClient::PlantsApi->new(base_url => $ENV{PLANTS_URL}, access_token => $token);
}

sub plant {
    return new_plant => WWW::OpenAPIClient::Object::NewPlant->new(@_);
}

sub tell_of {
    my ($step, $plants, $operation, @arguments) = @_;
    my $told = eval { $plants->$operation(@arguments) };
    if (my $failure = $@) {
        # What it dies with is text: the body is behind the first line, and before where it died.
        my ($status, $body) = $failure =~ /^API Exception\((\d+)\): .*\n(\{.*\}) at / or die $failure;
        $told = $plants->{api_client}->deserialize('Error', $body);
        die "no Error: $body" unless $told->error == $status;
    }
    print JSON->new->convert_blessed->encode({ $step => $told // 'nothing' }), "\n";
}

my $plants = connect_with($ENV{PLANTS_TOKEN});
tell_of('created', $plants, 'create_plant', plant(id => $last, name => 'Monstera deliciosa', tag => 'climber'));
tell_of('another', $plants, 'create_plant', plant(id => $first, name => 'Ficus'));
tell_of('first', $plants, 'list_plants', limit => 1);
tell_of('all', $plants, 'list_plants');
tell_of('conflict', $plants, 'create_plant', plant(id => $last, name => 'Fern'));
tell_of('badBody', $plants, 'create_plant', plant(id => 9, name => ''));
tell_of('badLimit', $plants, 'list_plants', limit => 0);
tell_of('deleted', $plants, 'delete_plant', id => $last);
tell_of('absent', $plants, 'delete_plant', id => $last);
tell_of('refused', connect_with('plant_x'), 'list_plants');
