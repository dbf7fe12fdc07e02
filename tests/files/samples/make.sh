#!/bin/sh
# Makes the samples of this folder by other programs, on Debian:
# apt-get install --no-install-recommends imagemagick webp libheif-examples libimage-exiftool-perl libjpeg-turbo-progs
#   ghostscript qpdf chromium libreoffice-writer-nogui libreoffice-calc-nogui
set -eu
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
source=$scratch/source.png
convert -size 64x48 gradient:navy-orange -fill white -draw 'circle 32,24 32,34' -depth 8 "$source"
exif() { exiftool -q -overwrite_original "$@"; }
# A copy of one sample, with tags.
tagged() { from=$1 to=$2; shift 2; cp "$from" "$to"; exif "$@" "$to"; }
office() { (cd "$scratch" && soffice --convert-to "$1" "$2" > log 2>&1) && mv "$scratch/${2%.*}.$1" "libreoffice.$1"; }
gps='-GPSLatitude=48.2 -GPSLatitudeRef=N -GPSLongitude=16.3 -GPSLongitudeRef=E'

convert "$source" -quality 80 -strip baseline.jpg
convert "$source" -quality 80 -strip -interlace JPEG progressive.jpg
convert "$source" -quality 80 -strip -colorspace CMYK cmyk.jpg
convert "$source" -quality 80 -strip -colorspace Gray gray.jpg
jpegtran -restart 1 -outfile restart.jpg baseline.jpg
convert "$source" -strip -set comment 'Left side of rack 4' -quality 80 comment.jpg
tagged baseline.jpg exif.jpg -Make=Canon -Model=EOS -DateTimeOriginal='2026:01:02 03:04:05' -Orientation#=6
convert "$source" -strip -resize 16x12 -quality 50 "$scratch/thumbnail.jpg"
tagged exif.jpg exif_thumbnail.jpg "-ThumbnailImage<=$scratch/thumbnail.jpg"
convert gray.jpg -profile /usr/share/color/icc/ghostscript/sgray.icc icc.jpg
tagged baseline.jpg iptc.jpg -IPTC:City=Vienna -IPTC:Keywords=pump
tagged baseline.jpg xmp.jpg -XMP:Description='Pump'
tagged exif_thumbnail.jpg gps_exif.jpg $gps
tagged baseline.jpg gps_destination.jpg -GPSDestLatitude=48.2 -GPSDestLatitudeRef=N
tagged baseline.jpg gps_altitude.jpg -GPSAltitude=171 -GPSAltitudeRef#=0
tagged baseline.jpg gps_area.jpg -GPSAreaInformation=Home
tagged baseline.jpg gps_xmp.jpg -XMP-exif:GPSLatitude=48.2 -XMP-exif:GPSLongitude=16.3
tagged baseline.jpg gps_xmp_attribute.jpg -api Compact=Shorthand -XMP-exif:GPSLatitude=48.2 -XMP-exif:GPSLongitude=16.3
tagged baseline.jpg gps_xmp_destination.jpg -XMP-exif:GPSDestLatitude=48.2
tagged baseline.jpg gps_xmp_region.jpg -XMP-iptcExt:LocationCreatedGPSLatitude=48.2 -XMP-iptcExt:LocationCreatedGPSLongitude=16.3

for depth in 1 8 16; do convert "$source" -strip -depth "$depth" $([ $depth = 1 ] && echo -monochrome) "bits_$depth.png"; done
convert "$source" -strip -interlace PNG interlaced.png
convert "$source" -strip -colors 8 -type Palette png8:palette.png
convert "$source" -strip -resize 16x12 -set Title 'Rack 4' text.png
tagged palette.png gps_exif.png $gps
tagged palette.png gps_xmp.png -XMP-exif:GPSLatitude=48.2 -XMP-exif:GPSLongitude=16.3
# ImageMagick repeats tags of EXIF as text.
convert gps_exif.jpg -resize 16x12 -define png:exclude-chunk=eXIf gps_text.png

convert "$source" -strip -colors 8 gif87:plain87.gif
convert "$source" -strip -colors 8 -set comment 'Rack 4' plain89.gif
convert "$source" -strip -colors 8 -interlace GIF interlaced.gif
convert -delay 20 -loop 0 "$source" \( "$source" -flip \) \( "$source" -flop \) -strip -resize 32x24 -colors 8 animated.gif
tagged plain89.gif gps_xmp.gif -XMP-exif:GPSLatitude=48.2 -XMP-exif:GPSLongitude=16.3

cwebp -quiet -q 60 "$source" -o lossy.webp
cwebp -quiet -lossless "$source" -o lossless.webp
convert "$source" -alpha set -channel A -evaluate set 50% "$scratch/alpha.png"
cwebp -quiet -q 60 "$scratch/alpha.png" -o alpha.webp
gif2webp -quiet animated.gif -o animated.webp
tagged lossy.webp gps_exif.webp $gps
tagged lossy.webp gps_xmp.webp -XMP-exif:GPSLatitude=48.2 -XMP-exif:GPSLongitude=16.3

heif-enc -q 40 "$source" -o plain.heic > "$scratch/log" 2>&1
heif-enc -q 40 -A "$source" -o plain.avif > "$scratch/log" 2>&1
heif-enc -q 40 gps_exif.jpg -o gps_exif.heic > "$scratch/log" 2>&1
tagged plain.heic gps_xmp.heic -XMP-exif:GPSLatitude=48.2 -XMP-exif:GPSLongitude=16.3
convert "$source" -strip -resize 16x12 plain.tiff
tagged plain.tiff gps_exif.tiff $gps
convert "$source" -strip -resize 16x12 bmp3:plain.bmp

cat > "$scratch/page.ps" <<'PS'
%!PS
/Courier findfont 14 scalefont setfont 72 720 moveto (Calibrated 2026-01-02) show showpage
PS
gs -q -sDEVICE=pdfwrite -dEmbedAllFonts=false -o ghostscript.pdf "$scratch/page.ps"
echo '<title>Certificate</title><h1 style="font-family: serif">Calibrated</h1>' > "$scratch/page.html"
chromium-headless-shell --no-sandbox --no-pdf-header-footer --print-to-pdf=chromium.pdf "$scratch/page.html" 2> "$scratch/log"
qpdf --linearize ghostscript.pdf linearized.pdf
qpdf --object-streams=generate ghostscript.pdf object_streams.pdf
qpdf --encrypt '' owner 256 -- ghostscript.pdf encrypted.pdf
qpdf ghostscript.pdf --add-attachment "$scratch/page.ps" --mimetype=text/plain -- attachment.pdf
cat > "$scratch/script.ps" <<'PS'
[ /_objdef {s} /type /dict /OBJ pdfmark
[ {s} << /S /JavaScript /JS (app.alert\(1\)) >> /PUT pdfmark
[ {Catalog} << /OpenAction {s} >> /PUT pdfmark
PS
gs -q -sDEVICE=pdfwrite -dEmbedAllFonts=false -o script.pdf "$scratch/page.ps" "$scratch/script.ps"
qpdf --object-streams=generate script.pdf script_packed.pdf

echo 'Pump 4' > "$scratch/text.txt"
echo 'pump,4' > "$scratch/sheet.csv"
for type in docx odt pdf; do office "$type" text.txt; done
office xlsx sheet.csv
