module raya/tests/boot/k3s_stand_in

go 1.24.0

require go.yaml.in/yaml/v3 v3.0.5
