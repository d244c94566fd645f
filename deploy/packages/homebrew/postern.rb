# The formula of Homebrew: `make packages` replaces the names between at signs and writes the file beside the packages. Linux gets the
# program of the release, macOS builds it.
class Postern < Formula
  desc "GraphQL and REST gateway for an existing Postgres database"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license "@LICENSE@"

  on_macos do
    url "@REPOSITORY@.git", tag: "v@VERSION@"
    depends_on "rust" => :build
  end

  on_linux do
    on_intel do
      url "@URL_x86_64@"
      sha256 "@SHA256_x86_64@"
    end
    on_arm do
      url "@URL_aarch64@"
      sha256 "@SHA256_aarch64@"
    end
  end

  def install
    if OS.mac?
      system "cargo", "install", *std_cargo_args(path: "postern")
      system bin/"postern", "man", "--out", man1
      generate_completions_from_executable(bin/"postern", "completions")
    else
      prefix.install "bin", "share"
    end
  end

  service do
    run [opt_bin/"postern", "serve"]
    environment_variables POSTERN_CONFIG: etc/"postern/gateway.toml"
    keep_alive true
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/postern --version")
  end
end
