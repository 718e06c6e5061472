# Generated from matinee.nix.in by make-recipes: change that, or libraries.table.
#
# Nix: put the archive that `make dist` makes beside this file, and run
# nix-build -E 'with import <nixpkgs> { }; callPackage ./matinee.nix { }'
{
  lib,
  stdenv,
  autoPatchelfHook,
  avahi,
  fribidi,
  libpulseaudio,
  mpv-unwrapped,
  ncurses,
  qrencode,
  systemdLibs,
  zlib,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "matinee";
  version = "0.1.0";

  src = ./. + "/matinee-${finalAttrs.version}-linux-${stdenv.hostPlatform.parsed.cpu.name}.tar.xz";

  nativeBuildInputs = [ autoPatchelfHook ];
  # The libraries that the program names.
  buildInputs = [
    ncurses
    stdenv.cc.cc
    zlib
  ];
  # Those that it loads when it starts.
  runtimeDependencies = map lib.getLib [
    avahi
    fribidi
    libpulseaudio
    mpv-unwrapped
    qrencode
    systemdLibs
  ];

  dontBuild = true;
  # The program is stripped, and its build id is the one in the archive.
  dontStrip = true;

  installPhase = ''
    runHook preInstall
    sh ./install.sh $out
    runHook postInstall
  '';

  meta = {
    description = "Watch films together from the terminal, in sync";
    mainProgram = "matinee";
    platforms = [
      "x86_64-linux"
      "aarch64-linux"
    ];
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
  };
})
