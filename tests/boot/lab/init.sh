#!/bin/busybox sh
# The lab's initramfs. It stands in for Fedora CoreOS's own, and does what that does on the way to the real root: the
# network, Ignition when the disk's first-boot mark is there, the network down again, the switch.
set -eu
/bin/busybox mkdir -p /proc /sys /dev /run /tmp /sysroot /sbin /usr/bin /usr/sbin
/bin/busybox --install -s /bin
export PATH=/bin:/sbin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs -o mode=0755 run /run
# Whatever a machine's log ends with, its lab looks for this.
trap 'echo "lab-init: FAILED"; sleep 1; poweroff -f' EXIT

while read -r module; do
  insmod "/modules/$module" 2>/dev/null || true
done </modules/order

wait_for() {
  tries=0
  until [ -e "$1" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || { echo "lab-init: no $1"; exit 1; }
    sleep 0.1
  done
}

# udhcpc calls this with what it was offered. The addresses are /32, so the gateway is on the link.
cat >/udhcpc.sh <<'SCRIPT'
#!/bin/sh
[ "$1" = bound ] || exit 0
ip addr add "$ip/${mask:-32}" dev "$interface"
for gateway in $router; do
  ip route add "$gateway/32" dev "$interface"
  ip route add default via "$gateway" dev "$interface" || true
done
SCRIPT
chmod 0755 /udhcpc.sh

wait_for /dev/vda
mount -t ext4 /dev/vda /sysroot

if [ -e /sysroot/boot/ignition.firstboot ]; then
  echo "lab-init: first boot: Ignition"
  for interface in /sys/class/net/*; do
    name=${interface##*/}
    [ "$name" != lo ] || continue
    ip link set "$name" up
    udhcpc -i "$name" -s /udhcpc.sh -q -n -t 10 -T 1 -A 1 >/dev/null 2>&1 || echo "lab-init: no lease on $name"
  done
  platform=$(sed -n 's/.*ignition.platform.id=\([a-z]*\).*/\1/p' /proc/cmdline)
  for stage in fetch-offline fetch kargs disks mount files umount; do
    if ! ignition --root=/sysroot --platform="$platform" --stage="$stage" --log-to-stdout >>/run/ignition.log 2>&1; then
      tail -n 20 /run/ignition.log
      exit 1
    fi
  done
  # As Fedora CoreOS does: nothing of this network is left for the real root to find.
  for interface in /sys/class/net/*; do
    name=${interface##*/}
    ip addr flush dev "$name"
    ip link set "$name" down
  done
  rm /sysroot/boot/ignition.firstboot
  sync
fi

trap - EXIT
mount --move /run /sysroot/run
mount --move /dev /sysroot/dev
mount --move /proc /sysroot/proc
mount --move /sys /sysroot/sys
exec switch_root /sysroot /sbin/init
