#!/bin/sh
# Export the ledger once a night.
target=$1
cd $target
for entry in `ls *.txt`; do
    cat $entry >> export.csv
done
if [ -s export.csv ] then
    echo "exported"
fi
