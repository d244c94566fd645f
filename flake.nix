# `nix run` and `nix profile install` build the program from this source. The version is that of Cargo.toml.
{
  description = "Postern, a GraphQL and REST gateway for an existing Postgres database";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forEachSystem = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      workspace = (nixpkgs.lib.importTOML ./Cargo.toml).workspace.package;
    in
    {
      packages = forEachSystem (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "postern";
          inherit (workspace) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package" "postern" ];
          # The tests start Postgres and a browser.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/postern man --out man
            installManPage man/*.1
            installShellCompletion --cmd postern \
              --bash <($out/bin/postern completions bash) \
              --fish <($out/bin/postern completions fish) \
              --zsh <($out/bin/postern completions zsh)
          '';
          meta = {
            description = "A GraphQL and REST gateway for an existing Postgres database";
            homepage = workspace.repository;
            license = pkgs.lib.licenses.asl20;
            mainProgram = "postern";
          };
        };
      });
    };
}
