"""Every kind of resource the stand-ins serve, once. `variant` changes a few things between two runs."""

import pulumi
import pulumi_gcp as gcp
import pulumi_hcloud as hcloud
import pulumi_random as random
import pulumi_tls as tls

config = pulumi.Config()
variant = config.get("variant") or "first"
canary = config.require_secret("canary")
labels = {"managed_by": "smoke", "variant": variant}

# random
random.RandomId("id", byte_length=4)
random.RandomString("string", length=8, special=False)
random.RandomBytes("bytes", length=32)
password = random.RandomPassword("password", length=24)

# tls
ca_key = tls.PrivateKey("ca", algorithm="ECDSA", ecdsa_curve="P256")
ca = tls.SelfSignedCert(
    "ca",
    private_key_pem=ca_key.private_key_pem,
    is_ca_certificate=True,
    allowed_uses=["cert_signing", "digital_signature"],
    validity_period_hours=87600,
    subject=tls.SelfSignedCertSubjectArgs(common_name="smoke"),
)
request = tls.CertRequest(
    "admin",
    private_key_pem=ca_key.private_key_pem,
    subject=tls.CertRequestSubjectArgs(common_name="admin", organization="system:masters"),
)
admin = tls.LocallySignedCert(
    "admin",
    ca_cert_pem=ca.cert_pem,
    ca_private_key_pem=ca_key.private_key_pem,
    cert_request_pem=request.cert_request_pem,
    allowed_uses=["client_auth"],
    validity_period_hours=1000,
)

# hcloud
image = hcloud.get_image(with_selector="os=fcos", with_architecture="x86", most_recent=True)
images = hcloud.get_images(with_selector="os=fcos", with_architectures=["x86"], most_recent=True)
assert str(images.images[0].id) == str(image.id)
assert hcloud.get_server_type(name="cx23").architecture == "x86"
assert "cx23" in [t.name for t in hcloud.get_server_types().server_types]
assert hcloud.get_location(name="hel1").network_zone == "eu-central"
assert "hel1" in [place.name for place in hcloud.get_locations().locations]
# The first run finds nothing, the next ones what it made.
assert {each.name for each in hcloud.get_servers().servers} <= {"server"}
assert {each.name for each in hcloud.get_networks().networks} <= {"net"}
assert {each.name for each in hcloud.get_firewalls(most_recent=True).firewalls} <= {"wall"}
assert {each.type for each in hcloud.get_primary_ips().primary_ips} <= {"ipv4", "ipv6"}
network = hcloud.Network("net", name="net", ip_range="10.0.0.0/16", labels=labels)
number = network.id.apply(int)
subnet = hcloud.NetworkSubnet(
    "nodes", network_id=number, type="cloud", network_zone="eu-central", ip_range="10.0.1.0/24"
)
hcloud.NetworkRoute(
    "route",
    network_id=number,
    destination="10.100.0.0/16",
    gateway="10.0.1.10",
    opts=pulumi.ResourceOptions(depends_on=[subnet]),
)
firewall = hcloud.Firewall(
    "wall",
    name="wall",
    labels=labels,
    rules=[
        hcloud.FirewallRuleArgs(direction="in", protocol="icmp", source_ips=["::/0", "0.0.0.0/0"]),
        hcloud.FirewallRuleArgs(direction="in", protocol="tcp", port="443", source_ips=["0.0.0.0/0", "::/0"]),
    ],
)
group = hcloud.PlacementGroup("group", name="group", type="spread")
ssh_key = hcloud.SshKey("key", name="key", public_key=ca_key.public_key_openssh)
address = hcloud.PrimaryIp(
    "address", name="address", type="ipv4", location="hel1", assignee_type="server", auto_delete=False
)
hcloud.Rdns(
    "rdns",
    primary_ip_id=address.id.apply(int),
    ip_address=address.ip_address,
    dns_ptr=f"{variant}.example.org",
)
server = hcloud.Server(
    "server",
    name="server",
    server_type="cx23" if variant == "first" else "cx33",
    image=str(image.id),
    location="hel1",
    labels=labels,
    firewall_ids=[firewall.id.apply(int)],
    placement_group_id=group.id.apply(int),
    ssh_keys=[ssh_key.name],
    user_data=pulumi.Output.concat("#", canary, "third" if variant == "third" else ""),
    public_nets=[hcloud.ServerPublicNetArgs(ipv4_enabled=True, ipv6_enabled=True)],
    shutdown_before_deletion=True,
    opts=pulumi.ResourceOptions(delete_before_replace=True),
)
attached = hcloud.ServerNetwork(
    "server",
    server_id=server.id.apply(int),
    subnet_id=subnet.id,
    ip="10.0.1.10",
    opts=pulumi.ResourceOptions(delete_before_replace=True, deleted_with=server),
)
volume = hcloud.Volume("data", name="data", size=10 if variant == "first" else 20, location="hel1")
hcloud.VolumeAttachment(
    "data",
    volume_id=volume.id.apply(int),
    server_id=server.id.apply(int),
    opts=pulumi.ResourceOptions(delete_before_replace=True, deleted_with=server, depends_on=[attached]),
)

# gcp
zones = gcp.dns.get_managed_zones(project="raya-local").managed_zones
parent = next(zone for zone in zones if zone.dns_name == "example.org.")
assert gcp.dns.get_managed_zone(name=str(parent.name)).visibility == "public"
zone = gcp.dns.ManagedZone(
    "zone",
    name="k8s-example-org",
    dns_name="k8s.example.org.",
    description=variant,
    force_destroy=True,
    labels={"variant": variant},
)
gcp.dns.RecordSet(
    "delegation",
    managed_zone=str(parent.name),
    name="k8s.example.org.",
    type="NS",
    ttl=3600,
    rrdatas=zone.name_servers,
)
gcp.dns.RecordSet(
    "a", managed_zone=zone.name, name="cp.k8s.example.org.", type="A", ttl=300, rrdatas=[server.ipv4_address]
)
for member in ("one", "two"):
    account = gcp.serviceaccount.Account(member, account_id=f"smoke-{member}", display_name=variant)
    key = gcp.serviceaccount.Key(member, service_account_id=account.name)
    gcp.projects.IAMMember(member, project="raya-local", role="roles/dns.admin", member=account.member)
    pulumi.export(f"{member}-key", key.private_key)

pulumi.export("ipv4", server.ipv4_address)
pulumi.export("serverId", server.id)
pulumi.export("volumeId", volume.id)
pulumi.export("certificate", admin.cert_pem)
pulumi.export("ca", ca.cert_pem)
pulumi.export("password", password.result)
